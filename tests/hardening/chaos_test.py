#!/usr/bin/env python3
"""A run that is killed in any way at any moment, and goes on, loses nothing: a short version of tools/chaos."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import chaos  # noqa: E402
from support import holon_runner as holon  # noqa: E402


class Chaos(holon.ProgramTest):
    def test_water(self):
        tally = chaos.kill_runs(self.work, holon.input_files(holon.INPUTS / "spce"), 300, kills=8, seed=1, longest=0.5)
        self.assertGreaterEqual(tally.kills, 8)


if __name__ == "__main__":
    holon.main()
