#!/usr/bin/env python3
"""nsteps counts from init-step, as in GROMACS: in a start, a restart and a chain of jobs."""

from support import holon_runner as holon
from support import trajectories

ARGON = holon.input_files(holon.INPUTS / "argon")
OUTPUT = {"nstxout_compressed": 5, "nstenergy": 5}


class Steps(holon.ProgramTest):
    def test_a_run_makes_as_many_as_asked_for(self):
        for first, steps in ((10, 20), (50, 4), (7, 0)):
            with self.subTest(first=first, steps=steps):
                run = holon.run(self.work / f"run-{first}", ARGON, init_step=first, nsteps=steps, timeout=60, **OUTPUT)
                self.assertEqual((run.summary["start_step"], run.summary["end_step"]), (first, first + steps))
                due = [step for step in range(first, first + steps + 1) if step % 5 == 0]
                self.assertEqual(list(trajectories.energies(run.folder / "energy.csv")["step"]), due)
                self.assertEqual(trajectories.steps(run.folder / "trajectory.h5md"), due)
                self.assertAlmostEqual(run.summary["initial"]["time_ps"], first * 0.002, places=9)

    def test_so_does_a_minimisation(self):
        run = holon.run(self.work / "run", ARGON, integrator="steep", emtol=1e-6, dt=0, init_step=10, nsteps=3, timeout=60)
        self.assertEqual((run.summary["start_step"], run.summary["end_step"]), (10, 13))

    def test_a_restart_ends_where_the_whole_run_would(self):
        whole = holon.run(self.work / "whole", ARGON, init_step=10, nsteps=30, **OUTPUT)
        self.assertEqual(whole.summary["end_step"], 40)
        part = holon.run(self.work / "part", ARGON, 2, init_step=10, nsteps=20, **OUTPUT)
        checkpoint = part.folder / "checkpoint.h5"
        again = holon.run(part.folder, ["--restart", checkpoint], nsteps=20)  # which it has made
        self.assertEqual((again.steps, again.summary["end_step"]), (0, 30))
        again = holon.run(part.folder, ["--restart", checkpoint], nsteps=30)
        self.assertEqual((again.steps, again.summary["end_step"]), (10, 40))
        self.assertEqual(again.state_hash, whole.state_hash)
        self.assertEqual(trajectories.steps(part.folder / "trajectory.h5md"), [10, 15, 20, 25, 30, 35, 40])
        result = holon.call("holon-md", ["--restart", checkpoint, "--nsteps", 29], 1)
        self.assertEqual(result.status, holon.BAD_INPUT)
        for word in ("step 40", "init-step + nsteps = 39", "init-step = 10"):
            self.assertIn(word, result.stderr)

    def test_a_chain_of_jobs_and_a_run_without_an_end(self):
        settings = {"init_step": 1000, **OUTPUT}
        first = holon.run(self.work / "run", ARGON, nsteps=-1, maxh=1e-9, status=holon.STOPPED, timeout=60, **settings)
        self.assertGreater(first.summary["end_step"], 1000)
        steps = first.summary["end_step"] - 1000 + 10
        chained = holon.run(first.folder, [*ARGON, "--resume"], nsteps=steps, timeout=60, **settings)
        self.assertEqual(chained.summary["end_step"], 1000 + steps)


if __name__ == "__main__":
    holon.main()
