"""Item 1: energies and forces with mesh = spme and the parameters of the .mdp against GROMACS' own smooth PME."""

import energies
import gromacs
from support import holon_runner as holon
from support import references

PME = {"coulombtype": "PME", "fourierspacing": 0.12, "pme_order": 4, "ewald_rtol": 1e-5}


def same_grid(report, folder, files):
    """Logs whether mesh = spme has the grid that GROMACS takes."""
    summary = holon.run(report.work / "grid", files, nsteps=0, mesh="spme").summary
    grid, expected = summary["mesh"]["grid"], gromacs.fourier_grid(gromacs.run_input(report.work, folder, {}))
    report.check("grid", grid == expected, "x".join(map(str, grid)), "= " + "x".join(map(str, expected)))


def shared(system):
    def run(report):
        folder = holon.SHARED_SYSTEMS / system
        expected = references.read_reference(folder / "as-is.h5")
        energies.compare(report, expected, folder, references.MESH_LIMITS, mesh="spme")
        same_grid(report, folder, holon.input_files(folder))

    run.__doc__ = f"smooth PME: {system} against GROMACS"
    return run


def dodecahedron(order):
    def run(report):
        gromacs.peptide(report.work, "amber99sb-ildn")
        cutoffs = {"rcoulomb": 0.9, "rvdw": 0.9, "constraints": "h-bonds"}
        settings = {**references.SINGLE_POINT, **PME, **cutoffs, "pme_order": order}
        expected = gromacs.single_point(report.work, settings)
        gromacs.write_mdp(report.work / "md.mdp", settings)
        energies.compare(report, expected, report.work, references.MESH_LIMITS, mesh="spme")
        same_grid(report, report.work, holon.input_files(report.work))

    run.__doc__ = f"smooth PME of order {order}: a charged peptide in a dodecahedron against gmx_d"
    return run


CASES = {f"1.{system}": shared(system) for system in energies.SYSTEMS}
CASES |= {f"1.dodecahedron-{order}": dodecahedron(order) for order in (4, 5)}
