"""Item 2: the speed is not bought with errors. They are judged as in the mesh's list."""

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


def force_error(system):
    def run(report):
        mesh_errors.default_errors(report, system)

    run.__doc__ = f"default mesh: error of {system} no more than GROMACS'"
    return run


def table(system):
    def run(report):
        folder = holon.SHARED_SYSTEMS / system
        exact = mesh_errors.converged(report, folder)
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
CASES |= {f"2.force-error-{system}": force_error(system) for system in energies.SYSTEMS}
CASES |= {"2.nve-drift": drift}
