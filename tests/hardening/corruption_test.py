#!/usr/bin/env python3
"""Damaged files of a run give the right older state or a clear error. (Many more in unit.checkpoint_damage_test.)"""

import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import corruption  # noqa: E402
from support import holon_runner as holon  # noqa: E402

ARGON = holon.input_files(holon.INPUTS / "argon")


class Corruption(holon.ProgramTest):
    def test_damage(self):
        for kind, outcome in corruption.damage(self.work, ARGON, random.Random(1), 1, 3, 3).items():
            self.assertEqual(outcome.wrong, [], kind)
            self.assertGreater(outcome.states + outcome.errors, 0)

    def test_files_of_another_run(self):
        other = [*ARGON, "--gen-vel", "yes", "--gen-seed", 5]
        outcome = corruption.swap(self.work, ARGON, other)
        self.assertEqual(outcome.wrong, [])
        self.assertEqual(outcome.errors, 4)


if __name__ == "__main__":
    holon.main()
