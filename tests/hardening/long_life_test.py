#!/usr/bin/env python3
"""Runs that have gone on for long: steps beyond 2^31 and 2^32, microseconds, files beyond 4 GiB."""

import pathlib
import sys

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402
from support import trajectories  # noqa: E402

ARGON = holon.input_files(holon.INPUTS / "argon")
WATER = holon.input_files(holon.INPUTS / "spce")
ONE_STEP = {"maxh": 1e-9, "status": holon.STOPPED}
EACH_STEP = {"nstxout_compressed": 1, "nstenergy": 1, "nstlog": 1}


class LongLife(holon.ProgramTest):
    def steps_from(self, first, count, arguments, **settings):
        """The result of `count` starts from step `first` that do a step each, on other ranks each time."""
        folder = self.work / f"from-{first}"
        result = holon.run(folder, arguments, 1, init_step=first, nsteps=-1, **settings, **ONE_STEP)
        for k in range(1, count):
            result = holon.run(folder, ["--restart", folder / "checkpoint.h5"], 1 + k % 2, **ONE_STEP)
        return result

    def test_steps_beyond_31_bits(self):
        first, count, dt = 2**31 - 2, 3, 0.002
        usual = holon.run(self.work / "usual", ARGON, 2, nsteps=count, **EACH_STEP)
        run = self.steps_from(first, count, ARGON, **EACH_STEP)
        self.assertEqual(run.state_hash, usual.state_hash)
        steps = list(range(first, first + count + 1))
        times = [step * dt for step in steps]  # [ps], more than 4 microseconds
        self.assertEqual(run.summary["end_step"], steps[-1])
        self.assertEqual(run.summary["final"]["time_ps"], times[-1])
        (path,) = run.folder.glob("trajectory.*")
        with h5py.File(path) as file:
            position = file["particles/trajectory/position"]
            self.assertEqual(list(position["step"]), steps)
            self.assertEqual(list(position["time"]), times)
        with open(run.folder / "energy.csv") as file:
            rows = [line.split(",")[:2] for line in file.read().splitlines()[1:]]
        self.assertEqual([(int(step), float(time)) for step, time in rows], list(zip(steps, times)))
        self.assertEqual(trajectories.logged_steps(run.folder / "md.log"), steps)
        self.assertIn(f"step= {steps[-1]}\n", (run.folder / "confout.gro").read_text())
        listed = holon.call("holon-inspect", [run.folder / "checkpoint.h5"])
        self.assertIn(str(steps[-1]), listed.stdout)

    def test_noise_of_steps_beyond_32_bits(self):
        noise = {"integrator": "sd", "tc_grps": "System", "tau_t": 1, "ref_t": 300, "ld_seed": 1}
        early, late = (self.steps_from(first, 2, WATER, **noise) for first in (0, 2**32))
        self.assertNotEqual(late.state_hash, early.state_hash)  # the noise is another one
        again = holon.run(self.work / "again", WATER, 3, init_step=2**32, nsteps=-1, **noise, **ONE_STEP)
        again = holon.run(again.folder, ["--restart", again.folder / "checkpoint.h5"], 1, **ONE_STEP)
        self.assertEqual(again.state_hash, late.state_hash)

    def test_frames_beyond_4_gib(self):
        # Where the velocities are follows from the number of frames: behind 10 GB of positions that are not there.
        frames = {"nstxout": 1, "nstvout": 1}
        usual = holon.run(self.work / "usual", ARGON, 2, nsteps=2, **frames)
        folder = self.work / "run"
        holon.run(folder, ARGON, 1, nsteps=1000000, **frames, **ONE_STEP)
        run = holon.run(folder, ["--restart", folder / "checkpoint.h5"], 2, **ONE_STEP)
        self.assertEqual(run.state_hash, usual.state_hash)
        (path,) = folder.glob("trajectory.*")
        self.assertGreater(path.stat().st_size, 2**34)
        self.assertLess(512 * path.stat().st_blocks, 2**24)
        (usual_path,) = usual.folder.glob("trajectory.*")
        for field in "position", "velocity":
            (steps, values), (usual_steps, usual_values) = (trajectories.frames(p, field) for p in (path, usual_path))
            self.assertEqual(steps, usual_steps)
            self.assertTrue(numpy.array_equal(values, usual_values))


if __name__ == "__main__":
    holon.main()
