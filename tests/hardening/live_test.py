#!/usr/bin/env python3
"""What is taken out of the checkpoint of a run that goes on is the state that it says it is."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402
from support import live  # noqa: E402

ARGON = holon.input_files(holon.INPUTS / "argon")


class Live(holon.ProgramTest):
    def test_branches_gro_files_and_restarts(self):
        outcome = live.take_many(self.work, ARGON, 2, (6, 4, 2), reader_ranks=(1, 3))
        live.compare(self.work, ARGON, outcome)
        self.assertEqual(outcome.wrong, [])
        self.assertGreaterEqual(len(outcome.taken), 10, outcome.refused)


if __name__ == "__main__":
    holon.main()
