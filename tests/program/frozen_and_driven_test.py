#!/usr/bin/env python3
"""Atoms that stand still, also in boxes that change, constant accelerations, electric fields, and distance restraints
averaged over time: trajectories are those of GROMACS in double precision to rounding, and the same to the last bit
wherever domains cut. Skipped without gmx_d."""

import shutil
import unittest

import function_types_test as chains
from support import holon_runner as holon
import numpy
from support import same_bits, trajectories

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
    def write(self, between="", **settings):
        """conf.gro, topol.top, g.ndx and md.mdp; returns grompp's arguments."""
        settings = {**SETTINGS, **settings}
        positions = list(chains.chains(0.5 * chains.SPACING))
        atoms = range(1, len(positions) + 1)
        groups = {"System": atoms, "Second": atoms[1::5], "Last": atoms[4::5]}
        (self.work / "conf.gro").write_text(chains.gro(positions))
        (self.work / "topol.top").write_text(chains.topology(BONDS, between))
        (self.work / "g.ndx").write_text("".join(f"[ {k} ]\n{' '.join(map(str, v))}\n" for k, v in groups.items()))
        (self.work / "md.mdp").write_text(
            "".join(f"{key.replace('_', '-')} = {value}\n" for key, value in settings.items())
            + "cutoff-scheme = verlet\nverlet-buffer-tolerance = -1\nrlist = 1.2\n"
        )
        return ("-f", "md.mdp", "-c", "conf.gro", "-p", "topol.top", "-n", "g.ndx")

    def judge(self, files):
        """GROMACS' last positions."""
        chains.gmx(self.work, "grompp", *files, "-o", "t.tpr", "-maxwarn", 20)
        chains.gmx(self.work, "mdrun", "-s", "t.tpr", "-deffnm", "t", "-ntmpi", 1, "-ntomp", 1)
        chains.gmx(self.work, "traj", "-f", "t.trr", "-s", "t.tpr", "-ox", "x.xvg", "-fp", answer="0\n")
        return numpy.array(chains.last_row(self.work / "x.xvg")[1]).reshape(-1, 3)

    def arguments(self, files):
        return [self.work / word if "." in word else word for word in files]

    def compare(self, between="", **settings):
        files = self.write(between, **settings)
        expected = self.judge(files)
        arguments = self.arguments(files)
        runs = [
            holon.run(self.work / name, arguments, ranks, precision="double", domains=domains)
            for name, ranks, domains in (("one", 1, "1x1x1"), ("three", 3, "1x1x3"), ("eight", 8, "2x2x2"))
        ]
        self.assertEqual(len({run.state_hash for run in runs}), 1)
        found = trajectories.frames(self.work / "one" / "trajectory.h5md")[1][-1]
        off = found - expected
        self.assertLess(numpy.abs(off - SIDE * numpy.rint(off / SIDE)).max(), 1e-9)
        return runs[0].state_hash

    def check_in_box_that_changes(self, follow, **settings):
        """Frozen atoms stay where they are, as GROMACS', or follow the box."""
        coupling = {"tau_p": 0.5, "compressibility": "1e-4", "ref_p": "500", "nstpcouple": 1, "gen_vel": "no"}
        files = self.write(**FREEZE, **{**coupling, **settings})
        start = numpy.array(list(chains.chains(0.5 * chains.SPACING)))
        expected = self.judge(files)
        arguments = self.arguments(files)
        runs = [
            holon.run(self.work / str(ranks), arguments, ranks, precision="double", domains=domains)
            for ranks, domains in ((1, "1x1x1"), (8, "2x2x2"))
        ]
        self.assertEqual(len({run.state_hash for run in runs}), 1)
        box = float((runs[0].folder / "confout.gro").read_text().split()[-3])
        self.assertGreater(abs(box - SIDE), 1e-4)
        found = trajectories.frames(runs[0].folder / "trajectory.h5md")[1][-1]
        off = found - start
        off -= SIDE * numpy.rint(off / SIDE)
        off_there = expected - start
        off_there -= SIDE * numpy.rint(off_there / SIDE)
        held = [(atoms, axis) for atoms, axes in ((1, (0, 1, 2)), (4, (0, 2))) for axis in axes]
        for first, axis in held:
            mine, judged = off[first::5, axis], off_there[first::5, axis]
            if follow:
                self.assertLess(numpy.abs(mine - judged).max(), 1e-6)
                self.assertGreater(numpy.abs(judged).max(), 1e-3)
            else:
                self.assertLess(numpy.abs(mine).max(), 1e-9)
                self.assertLess(numpy.abs(judged).max(), 1e-9)
        self.assertGreater(numpy.abs(off[0::5]).max(), 1e-4)

    def test_frozen_with_berendsen(self):
        self.check_in_box_that_changes(False, pcoupl="Berendsen")

    def test_frozen_with_c_rescale(self):
        bath = {"tcoupl": "v-rescale", "tc_grps": "System", "tau_t": 1, "ref_t": 100, "ld_seed": 2}
        self.check_in_box_that_changes(False, pcoupl="C-rescale", **bath)

    def test_frozen_with_parrinello_rahman(self):
        self.check_in_box_that_changes(False, pcoupl="Parrinello-Rahman", compressibility="1e-3")

    def test_frozen_with_deform(self):
        self.check_in_box_that_changes(True, deform="0.5 0.5 0.5 0 0 0")

    def test_a_constraint_between_frozen_and_free_in_a_box_that_changes_is_refused(self):
        files = self.write(freezegrps="Second", freezedim="Y Y Y", **{**RIGID, "constraint_algorithm": "lincs"})
        pressure = {"pcoupl": "Berendsen", "compressibility": 1e-3, "ref_p": 1, "tau_p": 1}
        words = [*self.arguments(files), "-o", self.work / "run", *holon.options(pressure)]
        done = holon.call("holon-md", words)
        self.assertEqual(done.status, holon.BAD_INPUT)
        self.assertIn("bound by a constraint to an atom that is not frozen, and the box changes", done.stderr)

    def average(self, **settings):
        between = f"[ intermolecular_interactions ]\n{chains.RESTRAINED['averaged restraints']}\n"
        whole = self.compare(between, disre="simple", disre_fc=5000, disre_tau=0.01, **settings)
        files = [self.work / name for name in ("md.mdp", "conf.gro", "topol.top", "g.ndx")]
        arguments = [word for pair in zip(("-f", "-c", "-p", "-n"), files) for word in pair]
        split = same_bits.split_run(self.work / "split", arguments, STEPS, precision="double")
        self.assertEqual(split.state_hash, whole)

    def test_averaged_distances(self):
        self.average()

    def test_averaged_distances_of_equal_weight(self):
        self.average(disre_weighting="equal", integrator="md-vv")

    def test_averaged_and_present_distances(self):
        self.average(disre_mixed="yes")

    def test_averaged_and_present_distances_of_equal_weight(self):
        self.average(disre_mixed="yes", disre_weighting="equal")

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
