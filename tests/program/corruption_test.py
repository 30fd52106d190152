#!/usr/bin/env python3
"""Damaged files of a run give the right older state or a clear error. (Many more in unit.checkpoint_damage_test.)"""

import random

import corruption
import holon_runner as holon

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
