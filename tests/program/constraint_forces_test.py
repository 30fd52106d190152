#!/usr/bin/env python3
"""Constraint forces in trajectory.h5md: those that Newton's second law asks for, on any number of ranks. Runs whose
constraint forces are those of the accelerations (edberg-evans-morriss): bits, restarts, feedback, refusals."""

import h5py
import numpy

from support import alkanes
from support import bad_input
from support import constrained_molecules
from support import holon_runner as holon
from support import same_bits
from support import trajectories

DT = 0.002
ALL = {
    "nstxout": 2,
    "nstvout": 2,
    "nstfout": 2,
    "nstcfout": 2,
    "nstxout_compressed": 0,
    "constraints": "all-bonds",
    "precision": "double",
    "dt": DT,
}
GAUSS = {"constraint_algorithm": "edberg-evans-morriss"}


class ConstraintForces(holon.ProgramTest):
    def setUp(self):
        super().setUp()
        alkanes.dodecane(self.work, cells=(1, 4, 4), water_cells=(4, 5, 3))
        files = holon.input_files(self.work)
        relaxed = holon.run(self.work / "relaxed", files, 2, integrator="steep", nsteps=40)
        self.files = [*files[:2], "-c", relaxed.folder / "confout.gro", *files[4:]]

    def fields(self, name):
        path = self.work / name / "trajectory.h5md"
        names = ("velocity", "force", "constraint_force")
        return trajectories.masses(path), *(trajectories.frames(path, field)[1] for field in names)

    def test_are_what_accelerates_atoms_beside_the_forces(self):
        every = {**ALL, "nstxout": 1, "nstvout": 1, "nstfout": 1, "nstcfout": 1}
        holon.run(self.work / "md", self.files, 2, nsteps=3, integrator="md", **every)
        mass, v, f, g = self.fields("md")
        for step in range(3):
            with self.subTest(step):
                missing = mass[:, None] * (v[step + 1] - v[step]) / DT - f[step] - g[step]
                self.assertLess(numpy.abs(missing).max(), 1e-8 * numpy.abs(g[step]).max())
                self.assertGreater(numpy.abs(g[step]).max(), 100.0)
        self.assertLess(numpy.abs(g.sum(axis=1)).max(), 1e-8 * numpy.abs(g).sum())

    def test_are_the_same_on_any_number_of_ranks_and_after_a_restart(self):
        for integrator in ("md", "md-vv", "sd", "steep"):
            with self.subTest(integrator):
                settings = {**ALL, "integrator": integrator}
                name = f"{integrator}-whole"
                holon.run(self.work / name, self.files, 1, nsteps=6, **settings)
                expected = self.fields(name)[3]
                self.assertEqual(len(expected), 4)
                self.assertTrue((numpy.abs(expected).max(axis=(1, 2)) > 10.0).all())
                other = self.work / f"{integrator}-other"
                holon.run(other, self.files, 3, nsteps=4, **settings)
                holon.run(other, ["--restart", other / "checkpoint.h5"], 2, nsteps=6)
                numpy.testing.assert_array_equal(self.fields(other.name)[3], expected)

    def test_come_only_where_they_are_asked_for(self):
        holon.run(self.work / "plain", self.files, 2, nsteps=0, **{**ALL, "nstcfout": 0})
        with h5py.File(self.work / "plain" / "trajectory.h5md") as file:
            self.assertNotIn("constraint_force", file["particles/trajectory"])
        alone = {**ALL, "nstxout": 0, "nstvout": 0, "nstfout": 0}
        holon.run(self.work / "alone", self.files, 2, nsteps=2, **alone)
        with h5py.File(self.work / "alone" / "trajectory.h5md") as file:
            group = file["particles/trajectory"]
            self.assertEqual(sorted(group), ["box", "charge", "constraint_force", "mass", "name", "position", "species"])
            self.assertEqual(group["constraint_force/value"].attrs["unit"], "kJ mol-1 nm-1")
        result = holon.call("holon-inspect", [self.work / "alone" / "trajectory.h5md"])
        self.assertIn("2 x positions, 2 x constraint forces", result.stdout)


class ConstrainedAccelerations(holon.ProgramTest):
    def arguments(self, name="octane"):
        files = constrained_molecules.files(constrained_molecules.MOLECULES[name])
        return bad_input.write_input(self.work / name, files)

    def test_same_bits_on_any_number_of_ranks_and_after_a_restart(self):
        arguments = self.arguments()
        found = same_bits.hashes(self.work, arguments, [(1, None), (3, None)], nsteps=20, **GAUSS)
        self.assertEqual(found["1"], found["3"])
        again = same_bits.split_run(self.work / "split", arguments, 20, **GAUSS)
        self.assertEqual(again.state_hash, found["1"])

    def test_same_bits_beside_water_that_is_solved_while_ranks_wait(self):
        keys = {"constraints": "all-bonds", "integrator": "md-vv", "dt": 0.001, "tcoupl": "no", "pcoupl": "no", **GAUSS}
        protein = holon.input_files(holon.INPUTS / "peptide")
        found = same_bits.hashes(self.work, protein, [(1, None), (2, None), (3, None)], nsteps=5, **keys)
        self.assertEqual(len(set(found.values())), 1, found)

    def test_feedback_keeps_errors_small(self):
        arguments = self.arguments("butane")
        errors = {}
        for steps in (0, 10):
            run = holon.run(self.work / f"{steps}", arguments, 1, nsteps=1000, feedback_steps=steps, **GAUSS)
            errors[steps] = run.summary["constraint_error"]["length_max_relative"]
        self.assertLess(errors[10], 0.1 * errors[0])
        self.assertLess(errors[10], 1e-3)

    def test_what_it_can_not_do_is_refused_by_name(self):
        arguments = self.arguments()
        groups = {"tcoupl": "v-rescale", "tc_grps": "Ends Rest", "tau_t": "1 1", "ref_t": "300 300"}
        index = self.work / "index.ndx"
        atoms = range(1, 8 * constrained_molecules.CELLS**3 + 1)
        ends, rest = ([str(a) for a in atoms if (a % 8 == 1) == end] for end in (True, False))
        index.write_text(f"[ Ends ]\n{' '.join(ends)}\n[ Rest ]\n{' '.join(rest)}\n")
        for name, settings, says in (
            ("leap-frog", {"integrator": "md"}, ("integrator = md is not", "integrator = md-vv")),
            ("langevin", {"integrator": "baoab", "tc_grps": "System", "tau_t": 1, "ref_t": 300}, ("baoab", "md-vv")),
            ("groups", {**groups, "n": index}, ("tc-grps", "whole molecules")),
        ):
            with self.subTest(name):
                words = [*arguments, "-o", self.work / name, *holon.options({**GAUSS, **settings})]
                words = ["-n" if word == "--n" else word for word in words]
                self.assertEqual(bad_input.refusal(words, 1, ("edberg-evans-morriss", *says)), "")


if __name__ == "__main__":
    holon.main()
