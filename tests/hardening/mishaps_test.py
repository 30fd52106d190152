#!/usr/bin/env python3
"""A rank that stops answering, a folder that is moved away, a clock that jumps."""

import pathlib
import shutil
import signal
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402
from support.chaos import committed_steps, newest_step  # noqa: E402
from support.same_bits import wait_for_progress  # noqa: E402

ARGON = holon.input_files(holon.INPUTS / "argon")
CLOCK = holon.BIN.parent / "lib" / "libholon_clock_jumps.so"
LONG = 100000000  # steps that nobody waits for
JUMPS = "0 3600 -3600 100000000 -1000000000 86400 -1 1 -86400"  # s, each for half a second


class Mishaps(holon.ProgramTest):
    def start(self, folder, ranks, messages=None, **settings):
        settings = {"nsteps": LONG, "nstxout_compressed": 1000, **settings}
        launcher = holon.start(
            [*ARGON, "-o", folder, *holon.options(settings)], ranks, **({"stderr": messages} if messages else {})
        )
        self.addCleanup(launcher.kill)
        wait_for_progress(folder / "checkpoint.h5", launcher)
        while not (folder / "md.log").exists():  # the last file of the start
            self.assertIsNone(launcher.poll())
            time.sleep(0.01)
        wait_for_progress(folder / "checkpoint.h5", launcher)
        return launcher

    def check_hash(self, folder):
        summary = holon.summary_of(folder)
        whole = holon.run(self.work / f"whole-{folder.name}", ARGON, 2, nsteps=summary["end_step"])
        self.assertEqual(summary["state_hash"], whole.state_hash)

    def test_a_rank_that_stops_answering(self):
        for rank in 0, 1:
            with self.subTest(rank=rank):
                folder = self.work / f"run-{rank}"
                launcher = self.start(folder, 3)
                frozen = holon.rank_pids(launcher)[rank : rank + 1]
                holon.send(frozen, signal.SIGSTOP)
                time.sleep(0.5)
                before = committed_steps(folder / "checkpoint.h5").max()
                time.sleep(1.0)
                self.assertIsNone(launcher.poll())
                self.assertEqual(committed_steps(folder / "checkpoint.h5").max(), before)  # the others wait
                holon.send(frozen, signal.SIGCONT)
                deadline = time.monotonic() + 60
                while committed_steps(folder / "checkpoint.h5").max() <= before:  # and go on
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)
                launcher.send_signal(signal.SIGUSR1)
                self.assertIn(launcher.wait(60), holon.passed_on()[signal.SIGUSR1])
                self.check_hash(folder)

    def test_a_folder_that_is_moved_away(self):
        folder, moved = self.work / "run", self.work / "moved"
        with open(self.work / "messages", "w+") as messages:
            launcher = self.start(folder, 2, messages)
            folder.rename(moved)
            self.assertEqual(launcher.wait(60), holon.FAILED)
            messages.seek(0)
            (message,) = holon.messages(messages.read())
        self.assertIn("run/checkpoint.h5 has been removed while the run was writing it", message)
        (moved / ".holon-lock").unlink(missing_ok=True)
        reached = newest_step(moved / "checkpoint.h5")
        again = holon.run(moved, ["--restart", moved / "checkpoint.h5"], 1, nsteps=reached + 3)
        self.assertEqual(again.summary["start_step"], reached)
        self.check_hash(moved)

    def test_a_clock_that_jumps(self):
        if not CLOCK.exists():  # as in builds with sanitizers
            self.skipTest("the library that has clocks jump is not built")
        jumping = {**holon.preload(CLOCK), "HOLON_CLOCK_JUMPS": JUMPS}
        folder, limit = self.work / "run", 3.0
        settings = {"nsteps": LONG, "maxh": limit / 3600, "checkpoint_sync": 0.3}
        run = holon.run(folder, ARGON, 2, environment=jumping, status=holon.STOPPED, **settings)
        self.assertGreater(run.seconds, 0.99 * limit)
        self.assertLess(run.summary["wall_s"], run.seconds)
        self.assertGreater(run.summary["wall_s"], 0.5)
        self.check_hash(folder)
        shutil.rmtree(self.work / "whole-run")
        end = run.summary["end_step"] + 100
        holon.run(folder, ["--restart", folder / "checkpoint.h5"], 3, environment=jumping, nsteps=end, maxh=-1)
        self.check_hash(folder)


if __name__ == "__main__":
    holon.main()
