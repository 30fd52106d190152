"""Item 2: the default mesh on few grid points, and the error that `mesh-accuracy` promises."""

import math

import energies
import gromacs
from support import holon_runner as holon
from support import references

ACCURACIES = {1e-3: "mixed", 1e-4: "mixed", 1e-5: "double", 1e-6: "double"}  # where float is fine enough


def force_error(report, system, name, **settings):
    """Relative rms force error of a single point against the converged Ewald sum; and its summary's "mesh"."""
    folder = holon.SHARED_SYSTEMS / system
    _, exact = references.read_reference(folder / "converged-ewald.h5")
    _, forces = references.single_point(report.work / name, holon.input_files(folder), **settings)
    return references.relative_rms(forces, exact), holon.summary_of(report.work / name)["mesh"]


def check_probe(report, mesh, error, name=""):
    """Logs whether the program's own measurement and expectation are right within a factor of two."""
    for figure in ("measured_error", "expected_error"):
        ratio = mesh[figure] / error
        report.check(f"{name}{figure} of the summary / error", 0.5 <= ratio <= 2.0, ratio, "0.5 to 2")


def default(system):
    def run(report):
        folder = holon.SHARED_SYSTEMS / system
        forces = {name: references.read_reference(folder / f"{name}.h5")[1] for name in ("as-is", "converged-ewald")}
        gromacs_error = references.relative_rms(forces["as-is"], forces["converged-ewald"])
        gromacs_points = math.prod(gromacs.fourier_grid(gromacs.run_input(report.work, folder, {})))
        for precision in ("mixed", "double"):
            error, mesh = force_error(report, system, precision, precision=precision)
            report.at_most(f"{precision}: relative rms force error", error, gromacs_error)
            check_probe(report, mesh, error, f"{precision}: ")
        report.note("grid", "x".join(map(str, mesh["grid"])))
        report.at_least("grid points of GROMACS / grid points", gromacs_points / mesh["grid_points"], 10)

    run.__doc__ = f"default mesh: error of {system} no more than GROMACS' on a tenth of the grid points"
    return run


def asked(system):
    def run(report):
        for accuracy, precision in ACCURACIES.items():
            settings = {"mesh_accuracy": accuracy, "precision": precision}
            error, mesh = force_error(report, system, f"{accuracy:g}", **settings)
            report.check(f"{accuracy:g}: error / accuracy", 0.2 <= error / accuracy <= 1, error / accuracy, "0.2 to 1")
            check_probe(report, mesh, error, f"{accuracy:g}: ")
            report.note(f"{accuracy:g}: grid, width", f"{'x'.join(map(str, mesh['grid']))}, {mesh['width']}")

    run.__doc__ = f"mesh-accuracy: error of {system} as asked"
    return run


CASES = {f"2.default-{system}": default(system) for system in energies.SYSTEMS}
CASES |= {f"2.accuracy-{system}": asked(system) for system in energies.SYSTEMS}
