#!/usr/bin/env python3
"""Whatever part of what has not been synced is on disk after a power cut: a run goes on from an older state."""

import random

import holon_runner as holon
import power_cut

ARGON = holon.input_files(holon.INPUTS / "argon")


class PowerCut(holon.ProgramTest):
    def test_subsets_of_pages(self):
        outcome = power_cut.cut_many(self.work, ARGON, random.Random(1), 2, 6)
        self.assertEqual(outcome.wrong, [])
        self.assertGreater(outcome.states, 0, outcome.refused)
        for message in outcome.refused:  # cut before the first states that go with other files had been synced
            self.assertIn("had not been begun", message)


if __name__ == "__main__":
    holon.main()
