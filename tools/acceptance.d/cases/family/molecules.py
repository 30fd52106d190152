"""Item 1: every solver on the molecules of the literature: equal hashes on any number of ranks, the same solution."""

import re

from support import bad_input
from support import constrained_molecules
from support import holon_runner as holon
from support import same_bits
from support import systems

RANKS = (1, 2, 3, 8)
STEPS = 10
TOLERANCE = 1e-10
# What they solve is not that lengths are met to a tolerance at the end of a step.
OTHER_EQUATIONS = ("yoneya", "edberg-evans-morriss", "lincs")
OTHER_ROTATIONS = ("dlm", "no-squish")
QUIET = {"nsteps": STEPS, "shake_tol": TOLERANCE, "nstxout_compressed": 0, "nstlog": 0, "checkpoint_interval": 0}
QUIET |= {"lincs_order": 8, "lincs_iter": 4}


def solvers(molecule):
    """Values of constraint-algorithm to be tried; a guess in front of another solver once."""
    if molecule.body:
        return ["rigid", *OTHER_ROTATIONS]
    apart = ("newton", "springs", "qshake", "unit-newton")  # the first of all; items 4 and 6
    names = [name for name in holon.constraint_algorithms() if name not in apart and not name.startswith("wiggle+")]
    return ["newton", *names]


def takes(folder, name):
    log = (folder / "md.log").read_text()
    found = re.search(rf"^{name.replace('-', '_')}: (\d+) clusters", log, re.M)
    return found is not None and int(found[1]) >= constrained_molecules.CELLS**3


def difference(folder, other):
    """Largest difference of a position of two runs [nm]."""
    (_, _, here, _, box), (_, _, there, _, _) = (systems.read_gro(run / "confout.gro") for run in (folder, other))
    return float(abs(systems.nearest(here - there, box)).max())


def of_molecule(name):
    molecule = constrained_molecules.MOLECULES[name]

    def run(report):
        arguments = bad_input.write_input(report.work, constrained_molecules.files(molecule))
        taken = []
        for solver in solvers(molecule):
            folder = report.work / solver
            first = holon.run(folder / "1", arguments, 1, constraint_algorithm=solver, **QUIET)
            if not takes(folder / "1", solver):
                report.note(f"{solver}: does not take them", "")
                continue
            taken.append(solver)
            others = [(ranks, None) for ranks in RANKS[1:]]
            found = same_bits.hashes(folder, arguments, others, constraint_algorithm=solver, **QUIET)
            equal = all(state_hash == first.state_hash for state_hash in found.values())
            report.check(f"{solver}: hashes on 1, 2, 3, 8 ranks", equal, first.state_hash)
            error = first.summary["constraint_error"]["length_max_relative"]
            if solver not in OTHER_EQUATIONS:
                report.at_most(f"{solver}: lengths", error, 3 * TOLERANCE)
                if molecule.body or solver in OTHER_ROTATIONS:
                    continue
                moved = difference(folder / "1", report.work / taken[0] / "1")
                report.at_most(f"{solver}: positions differ from {taken[0]}'s [nm]", moved, STEPS * TOLERANCE)
            else:
                report.note(f"{solver}: lengths", error)
        report.check("solvers that take them", len(taken) >= (1 if molecule.body else 8), " ".join(taken))

    run.__doc__ = f"{name}: every solver: hashes on 1, 2, 3 and 8 ranks, agreement after {STEPS} steps"
    return run


CASES = {f"1.{name}": of_molecule(name) for name in constrained_molecules.MOLECULES}
