#!/usr/bin/env python3
"""Atoms that stand still, constant accelerations and electric fields: trajectories are those of GROMACS in double
precision to rounding, and the same to the last bit wherever domains cut. Skipped without gmx_d."""

import shutil
import unittest

import function_types_test as chains
from support import holon_runner as holon
import numpy
from support import trajectories

SIDE = chains.CELLS * chains.SPACING
STEPS = 20
BONDS = (
    "[ bonds ]\n1 2 1 0.15 30000\n2 3 1 0.15 30000\n3 4 1 0.15 30000\n4 5 1 0.15 30000\n"
    "[ angles ]\n1 2 3 1 110 100\n2 3 4 1 110 100"
)
SETTINGS = {**chains.SETTINGS, "integrator": "md", "nsteps": STEPS, "nstxout": STEPS, "nstlist": 1}
FREEZE = {"freezegrps": "Second Last", "freezedim": "Y Y Y Y N Y"}
RIGID = {"constraints": "all-bonds", "constraint_algorithm": "shake", "shake_tol": 1e-12, "continuation": "no"}


@unittest.skipUnless(shutil.which("gmx_d"), "GROMACS in double precision is not at hand")
class FrozenAndDriven(holon.ProgramTest):
    def compare(self, **settings):
        settings = {**SETTINGS, **settings}
        positions = list(chains.chains(0.5 * chains.SPACING))
        atoms = range(1, len(positions) + 1)
        groups = {"System": atoms, "Second": atoms[1::5], "Last": atoms[4::5]}
        (self.work / "conf.gro").write_text(chains.gro(positions))
        (self.work / "topol.top").write_text(chains.topology(BONDS))
        (self.work / "g.ndx").write_text("".join(f"[ {k} ]\n{' '.join(map(str, v))}\n" for k, v in groups.items()))
        (self.work / "md.mdp").write_text(
            "".join(f"{key.replace('_', '-')} = {value}\n" for key, value in settings.items())
            + "cutoff-scheme = verlet\nverlet-buffer-tolerance = -1\nrlist = 1.2\n"
        )
        files = ("-f", "md.mdp", "-c", "conf.gro", "-p", "topol.top", "-n", "g.ndx")
        chains.gmx(self.work, "grompp", *files, "-o", "t.tpr", "-maxwarn", 20)
        chains.gmx(self.work, "mdrun", "-s", "t.tpr", "-deffnm", "t", "-ntmpi", 1, "-ntomp", 1)
        chains.gmx(self.work, "traj", "-f", "t.trr", "-s", "t.tpr", "-ox", "x.xvg", "-fp", answer="0\n")
        expected = numpy.array(chains.last_row(self.work / "x.xvg")[1]).reshape(-1, 3)
        arguments = [self.work / word if "." in word else word for word in files]
        runs = [
            holon.run(self.work / name, arguments, ranks, precision="double", domains=domains)
            for name, ranks, domains in (("one", 1, "1x1x1"), ("three", 3, "1x1x3"), ("eight", 8, "2x2x2"))
        ]
        self.assertEqual(len({run.state_hash for run in runs}), 1)
        found = trajectories.frames(self.work / "one" / "trajectory.h5md")[1][-1]
        off = found - expected
        self.assertLess(numpy.abs(off - SIDE * numpy.rint(off / SIDE)).max(), 1e-9)

    def test_frozen_along_some_axes(self):
        self.compare(**FREEZE)

    def test_frozen_with_velocity_verlet(self):
        self.compare(**FREEZE, integrator="md-vv")

    def test_frozen_and_bound_to_what_moves(self):
        self.compare(freezegrps="Second", freezedim="Y Y Y", **RIGID)

    def test_oscillating_field(self):
        self.compare(**{"electric-field-y": "2 100 0 0"})

    def test_acceleration(self):
        self.compare(**{"acc-grps": "Second", "accelerate": "10 0 -5"})


if __name__ == "__main__":
    holon.main()
