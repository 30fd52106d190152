#!/usr/bin/env python3
"""Random combinations of settings keep their promises: a short version of tools/combinations."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import combinations  # noqa: E402
from support import holon_runner as holon  # noqa: E402


class Combinations(holon.ProgramTest):
    def test_water(self):
        tally = combinations.run(self.work, [holon.INPUTS / "spce"], seed=1, count=8)
        self.assertGreaterEqual(tally["same bits"], 3)
        self.assertGreaterEqual(tally["conserved"], 1)


if __name__ == "__main__":
    holon.main()
