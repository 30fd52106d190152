#!/usr/bin/env python3
"""The jobscripts are sound shell, name their batch system's options, and do their work under stand-ins for qsub and
bsub. Those for Slurm meet a real one in tests/slurm."""

import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402

SCRIPTS = holon.ROOT / "jobscripts"
ARGON = holon.INPUTS / "argon"


class Jobscripts(holon.ProgramTest):
    def sh(self, command, stdin=None, status=0, **environment):
        path = f"{self.work}/bin:{holon.BIN}:{os.environ['PATH']}"
        done = subprocess.run(
            [str(word) for word in command],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.work,
            env={**os.environ, "PATH": path, "HOLON_LAUNCH": " ".join(holon.launch(2)), **environment},
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def stand_in(self, name, text):
        """A program that writes down how it was called and answers with a text."""
        path = self.work / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\necho "$@" >> {self.work}/{name}.calls\necho "{text}"\n')
        path.chmod(0o755)

    def calls(self, name):
        path = self.work / f"{name}.calls"
        return path.read_text().splitlines() if path.exists() else []

    def test_syntax(self):
        for script in sorted(path for path in SCRIPTS.iterdir() if path.suffix != ".md"):
            with self.subTest(script.name):
                self.sh(["bash", "-n", script])
                if shutil.which("shellcheck"):
                    self.sh(["shellcheck", script])

    def test_directives(self):
        for name, marks in {
            "holon.slurm": ["#SBATCH --signal=B:USR1@", "#SBATCH --requeue"],
            "holon.pbs": ["#PBS -l select=", "#PBS -l walltime="],
            "holon.lsf": ["#BSUB -wa USR1", '#BSUB -Q "75"', "#BSUB -n "],
        }.items():
            lines = (SCRIPTS / name).read_text().splitlines()
            for mark in marks:
                self.assertTrue(any(line.startswith(mark) for line in lines), f"{name}: {mark}")

    def test_pbs(self):
        self.stand_in("qsub", "12.server")
        job = {"PBS_O_WORKDIR": str(holon.ROOT), "INPUT": str(ARGON), "OUTPUT": str(self.work / "run")}
        stopped = {"OPTIONS": "--nsteps 1000000", "HOURS": "0.0003"}
        self.sh(["bash", SCRIPTS / "holon.pbs"], status=holon.STOPPED, **job, **stopped)
        (call,) = self.calls("qsub")
        self.assertIn(f"OUTPUT={self.work}/run", call)
        self.assertTrue(call.endswith("jobscripts/holon.pbs"))
        reached = holon.summary_of(self.work / "run")["end_step"]
        self.sh(["bash", SCRIPTS / "holon.pbs"], OPTIONS=f"--nsteps {reached + 5}", **job)
        self.assertEqual(holon.summary_of(self.work / "run")["end_step"], reached + 5)
        self.assertEqual(len(self.calls("qsub")), 1)

    def test_lsf(self):
        job = {"INPUT": str(ARGON), "OUTPUT": str(self.work / "run")}
        stopped = {"OPTIONS": "--nsteps 1000000 --maxh 0.0003"}
        self.sh(["bash", SCRIPTS / "holon.lsf"], status=75, **job, **stopped)
        self.sh(["bash", SCRIPTS / "holon.lsf"], HOLON_REQUEUE="no", **job, **stopped)
        reached = holon.summary_of(self.work / "run")["end_step"]
        self.sh(["bash", SCRIPTS / "holon.lsf"], OPTIONS=f"--nsteps {reached + 5}", **job)
        self.assertEqual(holon.summary_of(self.work / "run")["status"], "finished")

    def test_chains(self):
        self.stand_in("qsub", "12.server")
        self.stand_in("bsub", "Job <34> is submitted to queue <normal>.")
        for system, program, waits in (("pbs", "qsub", "-W depend=afterany:12.server"), ("lsf", "bsub", "-w ended(34)")):
            self.sh([SCRIPTS / "chain.sh", system, 3, "in", "out"])
            first, *others = self.calls(program)
            self.assertNotIn(waits, first)
            self.assertEqual(len(others), 2)
            for call in others:
                self.assertIn(waits, call)
        self.sh([SCRIPTS / "chain.sh", "other", 3, "in", "out"], status=2)

    def test_scaling_without_a_batch_system(self):
        launch = {"HOLON_LAUNCH": " ".join(holon.launch(1)[:-2]), "RANKS": "1 3"}
        text = self.sh([SCRIPTS / "scaling.sh", ARGON, self.work / "scaling", 10], **launch)
        self.assertEqual([line.split(",")[0] for line in text.split()], ["ranks", "1", "3"])


if __name__ == "__main__":
    holon.main()
