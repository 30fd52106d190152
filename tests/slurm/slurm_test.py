#!/usr/bin/env python3
"""The Slurm jobscripts in a real Slurm on this machine: jobs that queue themselves again, chains, other node counts,
scaling series. Label slurm, not part of the default suite; needs root and Debian's slurmctld, slurmd, munge."""

import re
import shutil

import local_slurm
import slurm_jobs
from slurm_jobs import ARGON, SCRIPTS, holon, submit


class SlurmTest(holon.ProgramTest):
    def setUp(self):
        super().setUp()
        self.slurm = self.enterContext(local_slurm.LocalSlurm(self.work / "slurm"))
        self.run_folder = self.work / "run"

    def output(self):
        return (self.work / "job.out").read_text()

    def whole(self, steps):
        return holon.run(self.work / "whole", holon.input_files(ARGON), 2, nsteps=steps)

    def wait_for_step(self, step):
        """Waits until the run in `run_folder` has come so far."""

        def reached():
            shown = holon.call("holon-inspect", [self.run_folder / "checkpoint.h5", "--step", step]).status == 0
            newest = holon.call("holon-inspect", [self.run_folder / "checkpoint.h5"]).stdout
            steps = [int(found) for found in re.findall(r"(?:ring|synced) +(\d+)", newest)]
            return shown or any(each >= step for each in steps)

        self.slurm.wait_until(reached, f"step {step} is reached", 60)

    def test_a_job_that_is_told_of_its_limit_is_queued_again_and_goes_on(self):
        steps = 100000
        job = submit(self.slurm, self.work, "holon.slurm", ARGON, self.run_folder, "--nsteps", steps)
        self.wait_for_step(20)
        self.slurm.call("scancel", "--batch", "--signal=USR1", job)
        self.slurm.wait_until(lambda: self.slurm.job(job)["Restarts"] == "1", "the job is queued again", 60)
        self.assertEqual(holon.summary_of(self.run_folder)["status"], "stopped")
        reached = holon.summary_of(self.run_folder)["end_step"]
        self.wait_for_step(reached + 20)
        self.slurm.call("scancel", job)
        ended = self.slurm.wait_for(job, 60)
        self.assertEqual(ended["JobState"], "CANCELLED")
        self.assertIn("Going on from the checkpoint", (self.run_folder / "md.log").read_text())

    def test_goes_on_on_another_number_of_nodes(self):
        first = submit(self.slurm, self.work, "holon.slurm", ARGON, self.run_folder, "--nsteps", 100)
        self.assertEqual(self.slurm.wait_for(first, 120)["JobState"], "COMPLETED", self.output())
        second = submit(self.slurm, self.work, "holon.slurm", ARGON, self.run_folder, "--nsteps", 200, nodes=2)
        self.assertEqual(self.slurm.wait_for(second, 120)["JobState"], "COMPLETED", self.output())
        summary = holon.summary_of(self.run_folder)
        self.assertEqual((summary["ranks"], summary["start_step"]), (4, 100))
        self.assertEqual(summary["state_hash"], self.whole(200).state_hash)

    def test_chain(self):
        copy = self.work / "input"  # that stops each job early
        shutil.copytree(ARGON, copy)
        with open(copy / "md.mdp", "a") as mdp:
            mdp.write("\nmaxh = 0.0006\n")
        steps = 100000
        command = [SCRIPTS / "chain.sh", "slurm", 3, copy, self.run_folder, "--nodes=1", "--ntasks-per-node=2"]
        text = self.slurm.call(
            *command, f"--output={self.work}/job.out", "--export=ALL,HOLON_REQUEUE=no", **slurm_jobs.ON_ONE_NODE
        )
        jobs = re.findall(r"^job \d of 3: (\d+)$", text, re.MULTILINE)
        self.assertEqual(len(jobs), 3)
        for job in jobs:
            self.slurm.wait_for(job, 120)
        self.assertEqual(self.slurm.job(jobs[-1])["Restarts"], "0")
        self.assertEqual((self.run_folder / "md.log").read_text().count("Going on from the checkpoint"), 2)
        self.assertLess(holon.summary_of(self.run_folder)["end_step"], steps)

    def test_scaling(self):
        job = submit(self.slurm, self.work, "scaling.sh", ARGON, self.work / "scaling", 20, tasks=3, options=["--exclusive"])
        self.assertEqual(self.slurm.wait_for(job, 120)["JobState"], "COMPLETED", self.output())
        rows = (self.work / "scaling" / "scaling.csv").read_text().split()
        self.assertEqual([row.split(",")[0] for row in rows], ["ranks", "1", "2", "3"])
        self.assertEqual(rows[1].split(",")[2:], ["1.000", "1.000"])


if __name__ == "__main__":
    if not local_slurm.is_possible():
        raise SystemExit(77)
    holon.main()
