#!/usr/bin/env python3
"""Checkpoints that were made to do harm, with right checksums, lead to a right state or a clear error."""

import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402
from support import hostile  # noqa: E402

ARGON = holon.input_files(holon.INPUTS / "argon")


class Hostile(holon.ProgramTest):
    def test_a_few_of_each_kind(self):
        victim = hostile.Victim(self.work, ARGON)
        rng = random.Random(1)
        outcome = hostile.Outcome()
        edits = hostile.hdf5_edits(self.work)
        for what in ("a text of 16 TB", "many texts in one", "no input", "slots swapped"):
            victim.judge(outcome, what, victim.edited(edits[what]).data, same_states=False)
        hostile.swapped_slots(victim, outcome, rng, 2)
        hostile.directory_values(victim, outcome, rng, 3)
        hostile.record_values(victim, outcome, rng, 3)
        hostile.row_values(victim, outcome, rng, 1)
        hostile.huge(victim, outcome)
        hostile.huge(victim, outcome, atoms=1000, ranks=2**25)
        self.assertEqual(outcome.wrong, [])
        self.assertGreater(outcome.states, 0)
        self.assertGreater(outcome.errors, 0)


if __name__ == "__main__":
    holon.main()
