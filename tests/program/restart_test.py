#!/usr/bin/env python3
"""A run goes on from its checkpoint as if it had never stopped: same bits, same trajectory, every frame once."""

import holon_runner as holon
import trajectories
from same_bits import killed_run, split_run

WATER = holon.input_files(holon.INPUTS / "spce")
OUTPUT = {"nstxout_compressed": 5, "nstenergy": 5}


class Restart(holon.ProgramTest):
    def whole(self, steps):
        return holon.run(self.work / "whole", WATER, nsteps=steps, **OUTPUT)

    def check_same(self, result, whole):
        self.assertEqual(result.state_hash, whole.state_hash)
        self.assertEqual(
            trajectories.differing_frames(result.folder / "trajectory.h5", whole.folder / "trajectory.h5"), ""
        )
        energies, expected = (trajectories.energies(run.folder / "energy.csv") for run in (result, whole))
        self.assertEqual(list(energies["step"]), list(expected["step"]))
        self.assertEqual(list(energies["conserved"]), list(expected["conserved"]))

    def test_on_another_number_of_ranks(self):
        self.check_same(split_run(self.work / "split", WATER, 40, **OUTPUT), self.whole(40))

    def test_langevin_dynamics(self):
        settings = {**OUTPUT, "integrator": "sd"}
        whole = holon.run(self.work / "whole", WATER, nsteps=20, **settings)
        self.check_same(split_run(self.work / "split", WATER, 20, **settings), whole)

    def test_branch_leaves_the_first_run_alone(self):
        first = holon.run(self.work / "first", WATER, 2, nsteps=20, **OUTPUT)
        before = first.state_hash
        branch = holon.run(self.work / "branch", ["--restart", first.folder / "checkpoint.h5"], nsteps=40)
        self.assertEqual(branch.state_hash, self.whole(40).state_hash)
        self.assertEqual(first.state_hash, before)
        self.assertEqual(trajectories.steps(first.folder / "trajectory.h5"), [0, 5, 10, 15, 20])

    def test_killed_at_any_moment(self):
        steps = 300
        result = killed_run(self.work / "killed", WATER, steps, kills=2, longest=0.5, **OUTPUT)
        self.check_same(result, self.whole(steps))
        self.assertLess(result.steps, steps)

    def test_argon_turned_round_comes_back(self):
        argon = holon.input_files(holon.INPUTS / "argon")
        start = holon.run(self.work / "start", argon, nsteps=0, comm_mode="none")
        holon.run(self.work / "there", argon, 2, nsteps=100, comm_mode="none")
        holon.run(
            self.work / "back",
            ["--restart", self.work / "there" / "checkpoint.h5", "--reverse-velocities"],
            3,
            nsteps=200,
        )
        again = holon.run(
            self.work / "again", ["--restart", self.work / "back" / "checkpoint.h5", "--reverse-velocities"], nsteps=200
        )
        self.assertEqual(again.state_hash, start.state_hash)


if __name__ == "__main__":
    holon.main()
