#!/usr/bin/env python3
"""The Python code and the commands of docs/python.md and docs/report.md work as they stand there."""

import contextlib
import io
import os
import re
import shlex
import shutil
import sys

try:
    import h5py  # noqa: F401
except ImportError:
    sys.exit(77)

from run_folders import PACKAGE, WATER, runner
import holon
from holon import export, report

try:
    holon.universe.load_mdanalysis()
except holon.HolonError:
    sys.exit(77)

DOCS = PACKAGE.parent / "docs"


class Docs(runner.ProgramTest):
    def setUp(self):
        super().setUp()
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.work)
        for path in WATER:
            shutil.copy(path, self.work)
        text = (self.work / "md.mdp").read_text() + "nstxout = 5\nnstvout = 5\nnstenergy = 1\n"
        (self.work / "md.mdp").write_text("".join(f"{line}\n" for line in _last_of_each_key(text)))

    def test_python(self):
        text = (DOCS / "python.md").read_text()
        reading, states, universe, starting = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        holon.run("md.mdp", "conf.gro", "topol.top", "run", nsteps=100)
        names = {}
        with contextlib.redirect_stdout(io.StringIO()) as said:
            for code in (reading, states, universe):
                exec(code, names)
            exec(starting.replace("nsteps=100000", "nsteps=3000"), names)
        self.assertEqual(names["s"].mean, names["s"].mean)
        self.assertEqual(names["x"].shape, (3852, 3))
        self.assertIn("SOL", names["topology"])
        self.assertIn(names["run"].status, ("stopped", "finished"))
        self.assertEqual(holon.Run("run").summary["end_step"], 2000)
        self.assertIn("0.2", said.getvalue())

    def test_commands(self):
        for name in ("run", "a", "b", "c"):
            holon.run("md.mdp", "conf.gro", "topol.top", name, nsteps=60)
        text = (DOCS / "python.md").read_text() + (DOCS / "report.md").read_text()
        commands = re.findall(r"^holon-(export|report) (.*?)(?:   .*| [a-z]+, as gmx .*)?$", text, re.MULTILINE)
        self.assertEqual(len(commands), 8)
        for program, words in commands:
            arguments = shlex.split(words.replace("protein and name CA", "name OW"))
            with self.subTest(f"{program} {words}"), contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual((export if program == "export" else report).main(arguments), 0)
                output = arguments[arguments.index("-o") + 1] if "-o" in arguments else "report.html"
                self.assertTrue((self.work / output).stat().st_size)


def _last_of_each_key(text):
    """Lines of an .mdp, of each key the last one."""
    pairs = [line.partition("=") for line in text.splitlines() if "=" in line]
    return [f"{key} = {value}" for key, value in {pair[0].strip(): pair[2] for pair in pairs}.items()]


if __name__ == "__main__":
    runner.main()
