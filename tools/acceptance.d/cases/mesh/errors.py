"""Item 2: the default mesh on few grid points, and the error that `mesh-accuracy` promises."""

import math

import energies
import gromacs
from support import holon_runner as holon
from support import references

ACCURACIES = {1e-3: "mixed", 1e-4: "mixed", 1e-5: "double", 1e-6: "double"}  # where float is fine enough


def converged(report, folder):
    """Forces of a converged sum over all pairs: Holon's own by smooth PME, held against GROMACS' converged-ewald.h5.

    GROMACS sizes its pair list by the drift of energy that it may cause, not to be complete: the list of that file lacks
    five pairs of dhfr, three of lysozyme and one of spce-23262 that are 0.884 to 0.9 nm apart (with `rlist = 1.2` it has
    them), which makes 5e-7 of the forces in dhfr.
    """
    _, forces = references.single_point(report.work / "converged", holon.input_files(folder), **references.CONVERGED)
    _, exact = references.read_reference(folder / "converged-ewald.h5")
    squares = ((forces - exact) ** 2).sum(axis=1)
    mean = (exact**2).sum(axis=1).mean()
    lacking = squares > 3e-6**2 * mean
    report.at_most("atoms with pairs that GROMACS' list lacks", int(lacking.sum()), 12)
    rest = references.relative_rms(forces[~lacking], exact[~lacking])
    report.at_most("converged sum against GROMACS', without these", rest, 2e-7)
    return forces


def force_error(report, system, exact, name, **settings):
    """Relative rms force error of a single point against the forces `exact`; and its summary's "mesh"."""
    folder = holon.SHARED_SYSTEMS / system
    _, forces = references.single_point(report.work / name, holon.input_files(folder), **settings)
    return references.relative_rms(forces, exact), holon.summary_of(report.work / name)["mesh"]


def check_probe(report, mesh, error, name=""):
    """Logs whether the program's own measurement and expectation are right within a factor of two."""
    for figure in ("measured_error", "expected_error"):
        ratio = mesh[figure] / error
        report.check(f"{name}{figure} of the summary / error", 0.5 <= ratio <= 2.0, ratio, "0.5 to 2")


def default_errors(report, system):
    """Checks that the default mesh is no worse than GROMACS' and knows its error; returns the summary's "mesh"."""
    folder = holon.SHARED_SYSTEMS / system
    exact = converged(report, folder)
    gromacs_error = references.relative_rms(references.read_reference(folder / "as-is.h5")[1], exact)
    for precision in ("mixed", "double"):
        error, mesh = force_error(report, system, exact, precision, precision=precision)
        report.at_most(f"{precision}: relative rms force error", error, gromacs_error)
        check_probe(report, mesh, error, f"{precision}: ")
    report.note("grid", "x".join(map(str, mesh["grid"])))
    return mesh


def default(system):
    def run(report):
        mesh = default_errors(report, system)
        folder = holon.SHARED_SYSTEMS / system
        gromacs_points = math.prod(gromacs.fourier_grid(gromacs.run_input(report.work, folder, {})))
        report.at_least("grid points of GROMACS / grid points", gromacs_points / mesh["grid_points"], 10)

    run.__doc__ = f"default mesh: error of {system} no more than GROMACS' on a tenth of the grid points"
    return run


def asked(system):
    def run(report):
        exact = converged(report, holon.SHARED_SYSTEMS / system)
        for accuracy, precision in ACCURACIES.items():
            settings = {"mesh_accuracy": accuracy, "precision": precision}
            error, mesh = force_error(report, system, exact, f"{accuracy:g}", **settings)
            report.check(f"{accuracy:g}: error / accuracy", 0.2 <= error / accuracy <= 1, error / accuracy, "0.2 to 1")
            check_probe(report, mesh, error, f"{accuracy:g}: ")
            report.note(f"{accuracy:g}: grid, width", f"{'x'.join(map(str, mesh['grid']))}, {mesh['width']}")

    run.__doc__ = f"mesh-accuracy: error of {system} as asked"
    return run


CASES = {f"2.default-{system}": default(system) for system in energies.SYSTEMS}
CASES |= {f"2.accuracy-{system}": asked(system) for system in energies.SYSTEMS}
