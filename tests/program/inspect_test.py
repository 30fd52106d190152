#!/usr/bin/env python3
"""holon-inspect shows and verifies what a run leaves, and tells runs apart."""

import subprocess
import sys

from support import holon_runner as holon

ARGON = holon.input_files(holon.INPUTS / "argon")


class Inspect(holon.ProgramTest):
    def run_argon(self, name, ranks=1, **settings):
        return holon.run(self.work / name, ARGON, ranks, **{"nsteps": 20, "nstxout_compressed": 10, **settings})

    def inspect(self, *files, status):
        result = holon.call("holon-inspect", files)
        self.assertEqual(result.status, status, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def test_shows_state_and_frames(self):
        run = self.run_argon("run", 2)
        text = self.inspect(run.folder / "checkpoint.h5", status=0)
        self.assertIn(run.state_hash, text)
        self.assertRegex(text, r"input mdp: \d+ bytes")
        text = self.inspect(run.folder / "trajectory.h5md", status=0)
        self.assertIn("3 frames, steps 0 to 20", text)

    def test_trajectory_opens_in_other_programs(self):
        run = self.run_argon("run", 3, nstvout=10, nstfout=10, nstxout=10)
        checker = holon.ROOT / "tests" / "python" / "check_trajectory.py"
        arguments = ["--structure", holon.INPUTS / "argon" / "conf.gro", run.folder / "trajectory.h5md"]
        check = subprocess.run([sys.executable, checker, *arguments], capture_output=True, text=True)
        if check.returncode == 77:
            self.skipTest("no h5py")
        self.assertEqual(check.returncode, 0, check.stderr)
        self.assertIn("3 frames", check.stdout)

    def test_compares_runs(self):
        runs = [self.run_argon("one"), self.run_argon("two", 2), self.run_argon("other", gen_seed=7, gen_vel="yes")]
        for file in ("checkpoint.h5", "trajectory.h5md"):
            one, two, other = (run.folder / file for run in runs)
            self.assertIn("equal", self.inspect(one, two, status=0))
            self.assertIn("differ", self.inspect(one, other, status=1))
        self.assertIn("different kinds", self.inspect(one, runs[0].folder / "checkpoint.h5", status=2))

    def test_takes_out_a_state(self):
        run = self.run_argon("run", 2, nsteps=0)
        # Of the slots of the ring, a run without steps has not come to the last.
        self.assertIn("is not valid: empty", self.inspect(run.folder / "checkpoint.h5", "--slot", 2, status=2))
        again = holon.run(run.folder, ["--restart", run.folder / "checkpoint.h5"], 3, nsteps=2)
        checkpoint = run.folder / "checkpoint.h5"
        text = self.inspect(checkpoint, "--gro", self.work / "state.gro", status=0)
        self.assertIn(again.state_hash, text)
        self.assertEqual((self.work / "state.gro").read_bytes(), (run.folder / "confout.gro").read_bytes())
        self.assertIn("step 1", self.inspect(checkpoint, "--step", 1, status=0))
        self.assertIn("no state of step 77", self.inspect(checkpoint, "--step", 77, status=2))
        self.assertIn("no slot 99", self.inspect(checkpoint, "--slot", 99, status=2))
        self.assertIn("dt ", self.inspect(checkpoint, "--text", "mdp", status=0))

    def test_compares_states_of_one_file(self):
        checkpoint = self.run_argon("run").folder / "checkpoint.h5"
        self.assertIn("The states are equal", self.inspect(checkpoint, "--step", "20,20", status=0))
        self.assertIn("Positions differ in 864 atoms", self.inspect(checkpoint, "--step", "19,20", status=1))
        self.assertIn("expected a number", self.inspect(checkpoint, "--step", "1,2,3", status=2))

    def test_branches_a_run_from_any_slot(self):
        run = self.run_argon("run", 2)
        checkpoint = run.folder / "checkpoint.h5"
        for step in (18, 19, 20):
            branch = self.work / f"branch-{step}"
            self.inspect(checkpoint, "--step", step, "--branch", branch, status=0)
            self.assertEqual([file.name for file in branch.iterdir()], ["checkpoint.h5"])
            again = holon.run(branch, ["--restart", branch / "checkpoint.h5"], 3)
            self.assertEqual(again.state_hash, run.state_hash)
            self.assertEqual(again.summary["start_step"], step)
        self.assertIn("already holds a run", self.inspect(checkpoint, "--branch", run.folder, status=2))
        self.assertIn("Cannot create", self.inspect(checkpoint, "--branch", checkpoint / "below", status=2))

    def test_says_what_is_wrong_with_a_file(self):
        folder = self.run_argon("run").folder
        (folder / "short.h5").write_bytes((folder / "checkpoint.h5").read_bytes()[:20000])
        (folder / "text.h5").write_text("no checkpoint\n")
        self.assertIn("truncated", self.inspect(folder / "short.h5", status=2))
        self.assertIn("not an HDF5 file", self.inspect(folder / "text.h5", status=2))
        self.assertIn("No such file", self.inspect(folder / "missing.h5", status=2))
        self.inspect(status=2)


if __name__ == "__main__":
    holon.main()
