#!/usr/bin/env python3
"""Each quantity of the trajectory at its own interval, through restarts, other intervals and kills; opens by its name."""

import sys

import h5py
import numpy

from support import holon_runner as holon
from support import trajectories
from support.same_bits import killed_run

sys.path.append(str(holon.ROOT / "tests" / "python"))
import check_trajectory  # noqa: E402

WATER = holon.input_files(holon.INPUTS / "spce")
NAMES = {"nstxout": "position", "nstvout": "velocity", "nstfout": "force", "nstcfout": "constraint_force"}
EVERY = {"nstxout": 8, "nstxout_compressed": 6, "nstvout": 4, "nstfout": 5, "nstcfout": 3}


def due(*intervals, first=0, last=24):
    return [step for step in range(first, last + 1) if any(step % interval == 0 for interval in intervals)]


class OutputIntervals(holon.ProgramTest):
    def check(self, folder, expected, reference):
        """Quantities have frames of the steps `expected`, with the values that `reference`, of each step, has there."""
        path = folder / "trajectory.h5md"
        for name, steps in expected.items():
            found, values = trajectories.frames(path, name)
            self.assertEqual(found, steps, name)
            known, right = trajectories.frames(reference / "trajectory.h5md", name)
            for step, value in zip(found, values):
                self.assertTrue(numpy.array_equal(value, right[known.index(step)]), f"{name} of step {step}")
        self.check_opens(path)

    def check_opens(self, path):
        check_trajectory.main(["--structure", str(holon.INPUTS / "spce" / "conf.gro"), str(path)])

    def each_step(self, last=24, **settings):
        every = dict.fromkeys(EVERY, 1)
        return holon.run(self.work / "each-step", WATER, 2, nsteps=last, **every, **settings).folder

    def expected(self, last=24, **intervals):
        intervals = {**EVERY, **intervals}
        steps = {name: due(intervals[key], last=last) for key, name in NAMES.items()}
        return {**steps, "position": due(intervals["nstxout"], intervals["nstxout_compressed"], last=last)}

    def test_forces_are_those_of_all_levels(self):
        keys = {"coulombtype": "PME", "rcoulomb": 0.9, "rvdw": 0.9, "nsteps": 0, "nstfout": 2}
        whole = holon.run(self.work / "whole", WATER, 2, **keys).folder / "trajectory.h5md"
        for forces in ("longrange-nonbonded", "longrange-nonbonded nonbonded"):
            apart = holon.run(self.work / "apart", WATER, 2, **keys, mts="yes", mts_level2_forces=forces, overwrite=None)
            found = trajectories.forces(apart.folder / "trajectory.h5md")
            self.assertTrue(numpy.array_equal(found, trajectories.forces(whole)), forces)

    def test_each_at_its_own(self):
        reference = self.each_step()
        with h5py.File(reference / "trajectory.h5md") as file:  # what is written together is in one group
            self.assertEqual(list(file["particles"]), ["trajectory"])
        run = holon.run(self.work / "run", WATER, 3, nsteps=24, **EVERY)
        self.check(run.folder, self.expected(), reference)
        shown = holon.call("holon-inspect", [run.folder / "trajectory.h5md"]).stdout
        self.assertIn("7 x positions, 7 x velocities, 5 x forces, 9 x constraint forces", shown)

    def test_positions_at_the_finer_of_two_intervals(self):
        run = holon.run(self.work / "run", WATER, nsteps=12, nstxout=12, nstxout_compressed=3, nstvout=12)
        self.check(run.folder, {"position": due(3, last=12), "velocity": [0, 12]}, self.each_step(12))

    def test_positions_come_with_the_others_where_they_have_none(self):
        run = holon.run(self.work / "run", WATER, nsteps=12, nstxout_compressed=0, nstvout=4, nstfout=6)
        expected = {"position": due(4, 6, last=12), "velocity": due(4, last=12), "force": due(6, last=12)}
        self.check(run.folder, expected, self.each_step(12))

    def test_a_single_point_is_one_group(self):
        run = holon.run(self.work / "run", WATER, nsteps=0, nstfout=1)
        with h5py.File(run.folder / "trajectory.h5md") as file:
            self.assertEqual(list(file["particles"]), ["trajectory"])
            self.assertEqual(len(file["particles/trajectory/force/value"]), 1)
        holon.run(run.folder, ["--restart", run.folder / "checkpoint.h5"], 2, nsteps=12, nstxout_compressed=6)
        self.check(run.folder, {"position": [0, 6, 12], "force": due(1, last=12)}, self.each_step(12))

    def test_a_restart_goes_on_with_each(self):
        folder = self.work / "run"
        holon.run(folder, WATER, 2, nsteps=13, **EVERY)
        holon.run(folder, ["--restart", folder / "checkpoint.h5"], 3, nsteps=24)
        self.check(folder, self.expected(), self.each_step())

    def test_a_restart_with_other_intervals_keeps_what_is_there(self):
        folder = self.work / "run"
        holon.run(folder, WATER, 2, nsteps=10, nstxout=5, nstvout=5)  # together
        again = {"nstxout": 2, "nstvout": 7, "nstfout": 2, "nstcfout": 0}
        holon.run(folder, ["--restart", folder / "checkpoint.h5"], 3, nsteps=24, **again)
        expected = {
            "position": [0, 5, *due(2, first=10)],
            "velocity": [0, 5, 10, 14, 21],
            "force": due(2, first=10),
        }
        self.check(folder, expected, self.each_step())

    def test_killed_at_any_moment(self):
        steps = 1200
        settings = {"nstxout": 3, "nstxout_compressed": 0, "nstvout": 2, "nstfout": 6, "nstcfout": 5}
        run = killed_run(self.work / "killed", WATER, steps, kills=3, longest=0.15, **settings)
        whole = holon.run(self.work / "whole", WATER, 2, nsteps=steps, **settings)
        for key, name in NAMES.items():
            self.assertEqual(trajectories.frames(whole.folder / "trajectory.h5md", name)[0], due(settings[key], last=steps))
        self.assertEqual(
            holon.call("holon-inspect", [path.folder / "trajectory.h5md" for path in (run, whole)]).status, 0
        )

    def test_a_trajectory_under_its_old_name_is_gone_on_with(self):
        folder = holon.run(self.work / "run", WATER, nsteps=6, nstxout=3, nstxout_compressed=0).folder
        (folder / "trajectory.h5md").rename(folder / "trajectory.h5")
        holon.run(folder, ["--restart", folder / "checkpoint.h5"], 2, nsteps=12)
        self.assertFalse((folder / "trajectory.h5").exists())
        self.check(folder, {"position": due(3, last=12)}, self.each_step(12))


if __name__ == "__main__":
    holon.main()
