"""Item 5: the virial with a mesh against finite differences of the energy under strain, in double."""

import gromacs
import virial

CUTOFFS = {"rcoulomb": 0.9, "rvdw": 0.9, "rvdw_switch": 0.75, "vdw_modifier": "force-switch"}
CELLS = {
    "cubic": ("-bt", "cubic", "-d", 0.6),
    # No angle or edge ratio that a strain could carry across the bounds of a reduced cell.
    "triclinic": ("-bt", "triclinic", "-box", 4.7, 4.4, 4.2, "-angles", 80, 75, 70),
}
# Wave vectors that a strain carries across the end of the split's transform make the energy jump; a small one meets none.
STRAIN = 2e-6
# The pair force of spme ends at the cutoff with a step, of relative size ewald-rtol.
MESHES = {"esp": {}, "spme": {"mesh": "spme", "ewald_rtol": 1e-9, "fourierspacing": 0.08, "pme_order": 8}}


def cell(name, mesh):
    def run(report):
        gromacs.peptide(report.work, "amber99sb-ildn", CELLS[name])
        flexible = report.work / "flexible.top"
        flexible.write_text("#define FLEXIBLE\n" + (report.work / "topol.top").read_text())
        settings = {**CUTOFFS, "coulombtype": "PME", **MESHES[mesh]}
        virial.check(report, report.work / "conf.gro", flexible, STRAIN, **settings)

    run.__doc__ = f"virial: a charged peptide in flexible water, {name} cell, {mesh}, by finite differences"
    return run


CASES = {f"5.{name}-{mesh}": cell(name, mesh) for name in CELLS for mesh in MESHES}
