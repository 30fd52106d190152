#!/usr/bin/env python3
"""A disk that is full, a folder that is gone, permissions withdrawn: a message, exit status 3, a good checkpoint."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import bad_input  # noqa: E402
from support import holon_runner as holon  # noqa: E402
from support import trajectories  # noqa: E402
from support.same_bits import wait_for_progress  # noqa: E402

WATER = holon.input_files(holon.INPUTS / "spce")
EACH_STEP = {"nstxout_compressed": 1, "nstenergy": 1}


class WriteFailure(holon.ProgramTest):
    def small_disk(self, size):
        disk = self.work / "disk"
        disk.mkdir()
        options = ["-t", "tmpfs", "-o", f"size={size}", "none", disk]
        if os.geteuid() != 0 or subprocess.run(["mount", *options], capture_output=True).returncode != 0:
            self.skipTest("cannot mount a small file system")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        return disk

    def check_failed(self, result, *says):
        self.assertEqual(result.status, holon.FAILED, result.stderr)
        (message,) = holon.messages(result.stderr)
        for text in says:
            self.assertIn(text, message)

    def check_goes_on(self, folder, ranks, nsteps, **settings):
        """What was left is whole, and the run ends as if nothing had happened."""
        steps = trajectories.steps(folder / "trajectory.h5md")
        self.assertEqual(steps, list(range(len(steps))))
        again = holon.run(folder, ["--restart", folder / "checkpoint.h5"], ranks, nsteps=nsteps, **settings)
        self.assertGreaterEqual(again.summary["start_step"], steps[-1] - 1)
        whole = holon.run(self.work / "whole", WATER, 2, nsteps=nsteps, **settings)
        self.assertEqual(again.state_hash, whole.state_hash)
        problem = trajectories.differing_frames(folder / "trajectory.h5md", whole.folder / "trajectory.h5md")
        self.assertEqual(problem, "")
        self.assertEqual((folder / "energy.csv").read_text(), (whole.folder / "energy.csv").read_text())

    def test_full_disk(self):
        disk = self.small_disk("7m")
        arguments = [*WATER, "-o", disk / "run", *holon.options({"nsteps": 1000, **EACH_STEP})]
        result = holon.call("holon-md", arguments, 3)
        self.check_failed(result, "trajectory.h5md: No space left on device. Make room on the disk and restart.")
        subprocess.run(["mount", "-o", "remount,size=50m", disk], check=True)
        reached = trajectories.steps(disk / "run" / "trajectory.h5md")[-1]
        self.assertGreater(reached, 5)
        self.check_goes_on(disk / "run", 2, reached + 20, **EACH_STEP)

    def test_full_from_the_start(self):
        disk = self.small_disk("2m")
        result = holon.call("holon-md", [*WATER, "-o", disk / "run", "--nsteps", 10], 2)
        self.check_failed(result, "checkpoint.h5.new: No space left on device")
        self.assertFalse((disk / "run").exists())

    def test_removed_folder(self):
        folder = self.work / "run"
        with open(self.work / "messages", "w+") as messages:
            launcher = holon.start([*WATER, "-o", folder, "--nsteps", 1000000], 2, messages)
            self.addCleanup(launcher.kill)
            wait_for_progress(folder / "checkpoint.h5", launcher)
            while not (folder / "md.log").exists():
                self.assertIsNone(launcher.poll())
            time.sleep(0.5)
            shutil.rmtree(folder, ignore_errors=True)
            self.assertEqual(launcher.wait(60), holon.FAILED)
            messages.seek(0)
            self.assertIn("checkpoint.h5 has been removed while the run was writing it", messages.read())
        self.assertFalse(folder.exists())

    def test_file_cut_short(self):
        """The states go to the file through memory then: by the thread that computes, or a helper of two."""
        for threads in "1", "2":
            with self.subTest(threads=threads), open(self.work / "messages", "w+") as messages:
                folder = self.work / f"run-{threads}"
                arguments = [*WATER, "-o", folder, "--nsteps", 1000000]
                environment = {**os.environ, "OMP_NUM_THREADS": threads}
                launcher = holon.start(arguments, 2, messages, env=environment)
                self.addCleanup(launcher.kill)
                wait_for_progress(folder / "checkpoint.h5", launcher)
                os.truncate(folder / "checkpoint.h5", 8192)
                self.assertEqual(launcher.wait(60), holon.FAILED)
                messages.seek(0)
                self.assertIn("checkpoint.h5: it has been cut short", messages.read())

    def test_withdrawn_permissions(self):
        self.work.chmod(0o777)
        arguments, how = bad_input.unprivileged_input(self.work)
        folder = self.work / "run"
        settings = {"nsteps": 2000000, "maxh": 4 / 3600, **EACH_STEP}
        program = how.pop("program", "holon-md")
        if holon.call(program, ["--version"], 2, **how).status != 0:  # as where /dev/shm is closed to them
            self.skipTest("users without privileges cannot start ranks here")
        with open(self.work / "messages", "w+") as messages:
            command = holon.command_line(program, [*arguments, "-o", folder, *holon.options(settings)], 2)
            environment = {**os.environ, "HOME": "/"}
            launcher = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=messages, env=environment, cwd="/", **how
            )
            self.addCleanup(launcher.kill)
            wait_for_progress(folder / "checkpoint.h5", launcher)
            time.sleep(0.5)
            folder.chmod(0)
            self.addCleanup(folder.chmod, 0o755)
            self.assertEqual(launcher.wait(60), holon.FAILED)
            messages.seek(0)
            self.assertIn("Permission denied", messages.read())
        folder.chmod(0o755)
        listed = holon.call("holon-inspect", [folder / "checkpoint.h5"])
        self.assertEqual(listed.status, 0, listed.stdout + listed.stderr)
        restart = ["--restart", folder / "checkpoint.h5"]
        (folder / "checkpoint.h5").chmod(0o400)
        refused = holon.call(program, restart, 2, **how)
        if os.geteuid() == 0:
            self.assertEqual(refused.status, holon.FAILED, refused.stderr)
            self.assertIn("Permission denied", refused.stderr)
        (folder / "checkpoint.h5").chmod(0o644)
        again = holon.call(program, [*restart, "--maxh", 1e-9], 3, **how)
        self.assertEqual(again.status, holon.STOPPED, again.stderr)


if __name__ == "__main__":
    holon.main()
