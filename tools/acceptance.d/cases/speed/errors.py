"""Item 2: the speed is not bought with errors. The cases are those of the mesh's list."""

import energies
from cases.mesh import drift as mesh_drift
from cases.mesh import errors as mesh_errors
from support import holon_runner as holon
from support import references

RADII = (0.6, 0.75, 0.9, 1.1, 1.4)  # of the split [nm]


def drift(report):
    """NVE: drift of the conserved energy of spce-3852 over 400 ps; goes on with the run of `mesh 6`"""
    report.work = report.work.parents[1] / "mesh" / "6.nve-drift"
    report.work.mkdir(parents=True, exist_ok=True)
    mesh_drift.drift(report)


def converged(report, folder):
    """Forces of a converged sum over all pairs: Holon's own by smooth PME, held against GROMACS' converged-ewald.h5.

    GROMACS sizes its pair list by the drift of energy that it may cause, not to be complete: the list of that file lacks
    five pairs of dhfr and three of lysozyme that are 0.884 to 0.9 nm apart (with `rlist = 1.2` it has them), which makes
    5e-7 of the forces in dhfr.
    """
    _, forces = references.single_point(report.work / "converged", holon.input_files(folder), **references.CONVERGED)
    _, exact = references.read_reference(folder / "converged-ewald.h5")
    squares = ((forces - exact) ** 2).sum(axis=1)
    mean = (exact**2).sum(axis=1).mean()
    lacking = squares > 3e-6**2 * mean
    report.at_most("atoms with pairs that GROMACS' list lacks", int(lacking.sum()), 12)
    rest = (squares[~lacking].sum() / mean / len(squares)) ** 0.5
    report.at_most("converged sum against GROMACS', without these", rest, 2e-7)
    return forces


def table(system):
    def run(report):
        folder = holon.SHARED_SYSTEMS / system
        exact = converged(report, folder)
        for accuracy, precision in mesh_errors.ACCURACIES.items():
            for radius in RADII:
                settings = {"mesh_accuracy": accuracy, "precision": precision, "coulomb_split_radius": radius}
                settings["rcoulomb"] = max(radius, 0.9)
                work = report.work / f"{accuracy:g}-{radius:g}"
                found = references.single_point(work, holon.input_files(folder), **settings)
                error = references.relative_rms(found[1], exact)
                mesh = holon.summary_of(work)["mesh"]
                for figure in ("expected", "measured"):
                    ratio = mesh[f"{figure}_error"] / error
                    name = f"{accuracy:g}, {radius:g} nm: {figure} error / error"
                    report.check(name, 0.8 <= ratio <= 1.2, ratio, "0.8 to 1.2")
                report.at_most(f"{accuracy:g}, {radius:g} nm: error / accuracy", error / accuracy, 1.0)

    run.__doc__ = f"expected error of the mesh of {system} within a fifth: radii from 0.6 to 1.4 nm, 1e-3 to 1e-6"
    return run


CASES = {f"2.table-{system}": table(system) for system in energies.SYSTEMS}
CASES |= {f"2.force-error-{name.partition('-')[2]}": case for name, case in mesh_errors.CASES.items() if "default" in name}
CASES |= {"2.nve-drift": drift}
