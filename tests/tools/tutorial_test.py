#!/usr/bin/env python3
"""The commands of docs/tutorial.md work as they stand there, one after the other, with fewer steps.

Without GROMACS the part that builds the system is left out, and the files of inputs/peptide are taken. Where HOLON_FULL
is set, no step is left out.
"""

import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402

PAGE = (holon.ROOT / "docs" / "tutorial.md").read_text()
STEPS = {"em": 40, "nvt": 40, "npt": 40, "md": 60}  # instead of those of the files
BLOCK = re.compile(r"^```(bash|python)( \w+)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
STAND_IN = """#!/bin/bash
while [[ $1 == -* ]]; do shift; done
exec bash "$@"
"""


class Tutorial(holon.ProgramTest):
    def setUp(self):
        super().setUp()
        if holon.call("holon-export", ["--help"]).status != 0 or not self.has_mdanalysis():
            self.skipTest("without MDAnalysis")
        for name in ("inputs", "jobscripts"):
            (self.work / name).symlink_to(holon.ROOT / name)
        (self.work / "bin").mkdir()
        self.stand_in("sbatch", STAND_IN)  # the job runs here and now
        self.stand_in("mpirun", f'#!/bin/sh\nexec {shutil.which(holon.MPIEXEC)} "$@"\n')  # that of the programs' MPI
        python = pathlib.Path(sys.executable).parent
        self.environment = {
            **os.environ,
            "PATH": f"{self.work}/bin:{holon.BIN}:{os.environ['PATH']}:{python}",
            "HOLON_LAUNCH": " ".join(holon.launch(2)[:-2]),
            "RANKS": "1 2",
        }

    def stand_in(self, name, text):
        path = self.work / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def has_mdanalysis(self):
        words = [sys.executable, "-c", "import MDAnalysis"]
        return subprocess.run(words, capture_output=True).returncode == 0

    def shorten(self):
        """Fewer steps, and a frame every twenty."""
        for name, steps in STEPS.items():
            path = self.work / "tutorial" / f"{name}.mdp"
            text = re.sub(r"(?m)^(nsteps *= )\d+", rf"\g<1>{steps}", path.read_text())
            text = re.sub(r"(?m)^(nst\S+ *= )\d+", r"\g<1>20", text)
            path.write_text(text)

    def shell(self, commands, folder):
        if "HOLON_FULL" not in os.environ:
            commands = commands.replace("30000", "50").replace("60000", "80").replace("scaling 50", "scaling 20")
        if holon.launcher_name() == "Open MPI":
            commands = commands.replace("mpirun ", "mpirun --oversubscribe ")
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", commands],
            cwd=folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, f"{commands}\n{(done.stdout + done.stderr)[-3000:]}")
        return done.stdout

    def test_every_command(self):
        folder, said = self.work, ""
        tutorial = self.work / "tutorial"
        blocks = BLOCK.findall(PAGE)
        self.assertEqual([kind.strip() for _, kind, _ in blocks].count("cluster"), 2)
        for language, kind, commands in blocks:
            if language == "python":
                self.check_python(commands, tutorial)
            elif kind != " gromacs" or shutil.which("gmx"):
                said += self.shell(commands, folder)
            if folder == self.work:
                folder = tutorial
                (tutorial / "jobscripts").symlink_to(holon.ROOT / "jobscripts")
                if "HOLON_FULL" not in os.environ:
                    self.shorten()
        self.check_results(tutorial, said)

    def check_python(self, code, folder):
        here = os.getcwd()
        os.chdir(folder)
        sys.path.insert(0, str(holon.ROOT / "python"))
        try:
            with contextlib.redirect_stdout(io.StringIO()) as said:
                exec(code, {})
        finally:
            os.chdir(here)
        self.assertRegex(said.getvalue(), r"^\d+\.\d K in \d+ steps\n")
        self.assertGreaterEqual(len(said.getvalue().splitlines()), 4)

    def check_results(self, folder, said):
        self.assertIn("Nothing has been written", said)
        self.assertIn("finished at step", said)
        for name in ("em", "nvt", "npt", "md", "md-cluster"):
            self.assertEqual(holon.summary_of(folder / name)["status"], "finished", name)
        potential = holon.summary_of(folder / "em")
        first, last = (potential[key]["energies_kJ_per_mol"]["potential"] for key in ("initial", "final"))
        self.assertLess(last, first)
        for name in ("report.html", "preparation.html", "both.html", "md.xtc", "first.pdb", "temperature.xvg"):
            self.assertGreater((folder / name).stat().st_size, 200, name)
        rows = (folder / "scaling" / "scaling.csv").read_text().splitlines()
        self.assertEqual([row.split(",")[0] for row in rows], ["ranks", "1", "2"])


if __name__ == "__main__":
    holon.main()
