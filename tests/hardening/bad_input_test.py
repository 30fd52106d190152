#!/usr/bin/env python3
"""Malformed inputs are refused with one message that says where: on one rank without a launcher, every tenth on eight."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import bad_input  # noqa: E402
from support import holon_runner as holon  # noqa: E402


class BadInput(holon.ProgramTest):
    def test_the_good_input_runs(self):
        holon.run(self.work / "run", bad_input.write_input(self.work))

    def test_each_is_refused(self):
        for name in bad_input.checks():
            with self.subTest(name):
                self.assertEqual(bad_input.run_check(name, self.work / "case", ranks=0), "")

    def test_on_eight_ranks(self):
        for name in list(bad_input.checks())[::10]:
            with self.subTest(name):
                self.assertEqual(bad_input.run_check(name, self.work / "case", ranks=8), "")


if __name__ == "__main__":
    holon.main()
