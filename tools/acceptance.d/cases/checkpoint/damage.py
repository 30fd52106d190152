"""Item 2: damaged and swapped files: the right older state, or a clear error."""

import random

from support import corruption
from support import holon_runner as holon

ARGON = holon.input_files(holon.INPUTS / "argon")


def note_outcome(report, kind, outcome):
    report.note(f"{kind}: went on from the right state", outcome.states)
    report.note(f"{kind}: refused with a message", outcome.errors)
    report.check(f"{kind}: anything else", not outcome.wrong, "\n".join(outcome.wrong) or 0, "= 0")


def case(seed, rounds, truncations, fuzzed):
    def run(report):
        for kind, outcome in corruption.damage(
            report.work, ARGON, random.Random(seed), rounds, truncations, fuzzed
        ).items():
            note_outcome(report, kind, outcome)

    run.__doc__ = f"damage: {rounds} rounds over all slots, {truncations} truncations, {fuzzed} fuzzed headers"
    return run


def swapped(report):
    """damage: each file of a run replaced by that of another run"""
    other = [*ARGON, "--gen-vel", "yes", "--gen-seed", 5]
    note_outcome(report, "files of another run", corruption.swap(report.work, ARGON, other))


CASES = {
    "2.slots": case(1, 10, 0, 0),
    "2.truncation": case(2, 0, 100, 0),
    "2.fuzz": case(3, 0, 0, 60),
    "2.swapped": swapped,
}
