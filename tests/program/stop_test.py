#!/usr/bin/env python3
"""A run that is asked to stop ends after its step with a state to go on from; asked twice, at once."""

import signal
import time

from support import holon_runner as holon
from support.chaos import is_alive, newest_step
from support.same_bits import wait_for_progress

WATER = holon.input_files(holon.INPUTS / "spce")
LONG = 1000000  # steps that nobody waits for


class Stop(holon.ProgramTest):
    def start(self, name, ranks=2, nsteps=LONG, **settings):
        folder = self.work / name
        launcher = holon.start([*WATER, "-o", folder, *holon.options({"nsteps": nsteps, **settings})], ranks)
        self.addCleanup(launcher.kill)
        wait_for_progress(folder / "checkpoint.h5", launcher)
        time.sleep(0.3)
        return folder, launcher

    def check_stopped(self, folder):
        summary = holon.summary_of(folder)
        self.assertEqual(summary["status"], "stopped")
        self.assertTrue((folder / "confout.gro").exists())
        listed = holon.call("holon-inspect", [folder / "checkpoint.h5"])
        self.assertIn(summary["state_hash"], listed.stdout)
        again = holon.run(folder, ["--restart", folder / "checkpoint.h5"], 3, nsteps=summary["end_step"])
        self.assertEqual(again.state_hash, summary["state_hash"])
        self.assertEqual(again.steps, 0)

    def test_by_each_signal_to_the_launcher(self):
        for number, accepted in holon.passed_on().items():
            with self.subTest(number.name):
                folder, launcher = self.start(number.name)
                launcher.send_signal(number)
                self.assertIn(launcher.wait(60), accepted)
                self.check_stopped(folder)

    def test_by_a_signal_to_one_rank(self):
        for number in (signal.SIGTERM, signal.SIGUSR2):
            folder, launcher = self.start(f"one-{number.name}", 3)
            holon.send(holon.rank_pids(launcher)[1:2], number)
            self.assertEqual(launcher.wait(60), holon.STOPPED)
            self.check_stopped(folder)

    def test_by_a_signal_during_the_start(self):
        folder = self.work / "run"
        launcher = holon.start([*WATER, "-o", folder, "--nsteps", LONG], 1)
        self.addCleanup(launcher.kill)
        while not (folder / ".holon-lock").exists():
            self.assertIsNone(launcher.poll())
        launcher.send_signal(signal.SIGUSR1)
        self.assertIn(launcher.wait(60), holon.passed_on()[signal.SIGUSR1])
        self.assertLess(holon.summary_of(folder)["end_step"], 3)
        self.check_stopped(folder)

    def test_by_a_signal_before_the_program_begins(self):
        library = holon.BIN.parent / "lib" / "libholon_early_signal.so"
        if not library.exists():
            self.skipTest("built with a sanitizer")
        for number in (signal.SIGUSR1, signal.SIGTERM):
            folder = self.work / f"early-{number}"
            early = {**holon.preload(library), "HOLON_EARLY_SIGNAL": str(int(number))}
            run = holon.run(folder, WATER, 2, nsteps=LONG, status=holon.STOPPED, environment=early)
            self.assertLess(run.summary["end_step"], 3)
            self.check_stopped(folder)

    def test_a_second_signal_stops_at_once(self):
        folder, launcher = self.start("run")
        frozen = holon.rank_pids(launcher)[1:2]
        holon.send(frozen, signal.SIGSTOP)  # the step cannot end
        launcher.send_signal(signal.SIGUSR1)
        time.sleep(1.5)
        self.assertIsNone(launcher.poll())
        launcher.send_signal(signal.SIGUSR1)
        status = launcher.wait(60)
        if holon.FINISHED not in holon.passed_on()[signal.SIGUSR1]:
            self.assertNotIn(status, (holon.FINISHED, holon.STOPPED))
        self.assertFalse((folder / "summary.json").exists())
        holon.run(folder, ["--restart", folder / "checkpoint.h5"], 2, nsteps=LONG, maxh=1e-9, status=holon.STOPPED)

    def test_a_burst_of_signals_is_one_request(self):
        for number, to_ranks in ((signal.SIGTERM, True), (list(holon.passed_on())[-1], False)):
            with self.subTest(number.name):
                folder, launcher = self.start(f"run-{number.name}")
                pids = holon.rank_pids(launcher) if to_ranks else [launcher.pid]
                ends = time.monotonic() + 0.5
                while time.monotonic() < ends and launcher.poll() is None:
                    holon.send(pids, number)
                    time.sleep(0.005)
                # A signal that meets a launcher whose ranks have ended well, and which no longer handles any, ends it.
                accepted = {holon.STOPPED} if to_ranks else {*holon.passed_on()[number], -number}
                self.assertIn(launcher.wait(60), accepted)
                self.check_stopped(folder)

    def test_a_burst_that_ends_the_launcher_loses_nothing(self):
        # At a second TERM within five seconds Open MPI's mpirun ends at once, and its ranks with it.
        folder, launcher = self.start("run")
        pids = holon.rank_pids(launcher)
        for _ in range(50):
            holon.send([launcher.pid], signal.SIGTERM)
            time.sleep(0.005)
        launcher.wait(60)
        deadline = time.monotonic() + 60
        while any(map(is_alive, pids)):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        listed = newest_step(folder / "checkpoint.h5")
        again = holon.run(
            folder, ["--restart", folder / "checkpoint.h5"], 2, nsteps=LONG, maxh=1e-9, status=holon.STOPPED
        )
        self.assertEqual(again.summary["start_step"], listed)

    def test_by_maxh_and_not_before(self):
        limit = 3.0
        run = holon.run(self.work / "run", WATER, 2, nsteps=LONG, maxh=limit / 3600, status=holon.STOPPED)
        self.assertEqual(run.summary["status"], "stopped")
        self.assertGreater(run.seconds, 0.99 * limit)

    def test_a_chain_of_jobs_finishes(self):
        whole = holon.run(self.work / "whole", WATER, 2, nsteps=6)
        statuses = []
        for job in range(7):
            # Time is up before the first step, so each job does one.
            done = holon.call(
                "holon-md",
                [*WATER, "--resume", "-o", self.work / "run", "--nsteps", 6, "--maxh", 1e-9],
                1 + job % 3,
                folder=self.work / "run",
            )
            statuses.append(done.status)
            if done.status != holon.STOPPED:
                break
            self.assertEqual(done.summary["status"], "stopped")
        self.assertEqual(statuses, 5 * [holon.STOPPED] + [holon.FINISHED], done.stderr)
        self.assertEqual(done.state_hash, whole.state_hash)

    def test_what_ends_with_the_last_step_is_finished(self):
        run = holon.run(self.work / "run", WATER, 2, nsteps=1, maxh=1e-9)
        self.assertEqual(run.summary["status"], "finished")


if __name__ == "__main__":
    holon.main()
