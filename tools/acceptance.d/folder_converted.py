"""Item 5: three AMBER and two CHARMM systems through tools/convert, against GROMACS in double precision."""

import gromacs
from support import other_force_fields
import site_energies

MDP = {"integrator": "md", "nsteps": 0, "dt": 0.001}
CUTOFFS = {"rcoulomb": 0.9, "rvdw": 0.9}
SYSTEMS = {
    "amber-cube": ("amber", "amber99sb-ildn", ("-bt", "cubic", "-box", "2.2", "2.2", "2.2"), 6),
    "amber-dodecahedron": ("amber", "amber03", ("-bt", "dodecahedron", "-d", "0.7"), 12),
    "amber-octahedron": ("amber", "amber96", ("-bt", "octahedron", "-d", "0.7"), 20),
    "charmm-cube": ("charmm", "charmm27", ("-bt", "cubic", "-box", "2.2", "2.2", "2.2"), 6),
    "charmm-dodecahedron": ("charmm", "charmm27", ("-bt", "dodecahedron", "-d", "0.7"), 20),
}


def case(name):
    kind, force_field, box, residues = SYSTEMS[name]

    def run(report):
        if not other_force_fields.have_parmed():
            raise gromacs.Missing("ParmEd is not installed")
        gromacs.peptide(report.work, force_field, box=box, residues=residues)
        converted = other_force_fields.there_and_back(kind, report.work)
        gromacs.write_mdp(converted / "md.mdp", MDP)
        for precision in ("double", "mixed"):
            for figure, (value, limit) in site_energies.compare(converted, 2, precision, **CUTOFFS).items():
                report.at_most(f"{precision}: {figure}", value, limit)

    run.__doc__ = f"{residues} residues in water, {force_field}, over {kind.upper()}'s files"
    return run


CASES = {f"5.{name}": case(name) for name in SYSTEMS}
