#!/usr/bin/env python3
"""Minimisation from starts with overlaps and overstretched bonds: finds its way down, with the same bits on any number
of ranks, and says what is not exact on the way; dynamics from such starts fails."""

from support import bad_starts
from support import holon_runner as holon


class BadStarts(holon.ProgramTest):
    def files(self, name):
        return holon.input_files(bad_starts.make(name, self.work / name))

    def minimise(self, name, ranks=1, **settings):
        files = self.files(name)
        return holon.run(self.work / f"{name}.{ranks}", files, ranks, checkpoint_interval=0, **settings)

    def potential(self, result, when="final"):
        return result.summary[when]["energies_kJ_per_mol"]["potential"]

    def largest_force(self, result):
        log = (result.folder / "md.log").read_text()
        return float(log.split("the largest force is ")[-1].split()[0])

    def check_same_bits(self, name, ranks=(1, 2, 3), **settings):
        results = [self.minimise(name, n, **settings) for n in ranks]
        for result in results[1:]:
            self.assertEqual(result.state_hash, results[0].state_hash, name)
            self.assertEqual(self.potential(result), self.potential(results[0]), name)
        return results[0]

    def test_atoms_at_the_same_place_come_apart(self):
        result = self.check_same_bits("same-place")
        self.assertIn("at the same place", result.stderr)
        self.assertIn("by their logarithm", result.stderr)
        self.assertLess(self.potential(result), -800.0)
        self.assertLess(self.largest_force(result), 10.0)

    def test_a_heap_of_atoms_falls_apart(self):
        for name in ("heap", "all-at-one-place"):
            result = self.check_same_bits(name, (1, 3), nsteps=150)
            self.assertLess(self.potential(result), -200.0, name)

    def test_overlapping_rigid_water(self):
        result = self.check_same_bits("random-water", (1, 2), nsteps=60)
        self.assertLess(self.potential(result), -9000.0)
        self.assertLess(result.summary["constraint_error"]["length_max_relative"], 1e-9)
        self.assertLess(self.potential(self.minimise("doubled-water", nsteps=60)), -5000.0)

    def test_a_hydrogen_does_not_fall_into_an_oxygen(self):
        result = self.minimise("hydrogen-in-oxygen", nsteps=150)
        self.assertLess(self.potential(result), -4000.0)
        self.assertGreater(self.potential(result), -8000.0)

    def test_torn_molecules(self):
        result = self.minimise("torn-rigid-water", nsteps=100)
        self.assertLess(self.potential(result), -9000.0)
        result = self.minimise("torn-water", nsteps=200)
        self.assertGreater(self.potential(result, "initial"), 3e6)
        self.assertLess(self.potential(result), -7000.0)

    def test_chains(self):
        for name in ("stretched-chains", "tangled-constrained"):
            result = self.minimise(name, 2, nsteps=150)
            self.assertLess(self.potential(result), 10000.0, name)

    def test_a_start_beyond_its_constraints_is_minimised_without_them_first(self):
        name = "stretched-constrained"
        failed = self.minimise(name, status=holon.FAILED)
        self.assertIn("constraints = none", failed.stderr)
        free = holon.run(self.work / "free", self.files(name), constraints="none")
        files = [*self.files(name)[:2], "-c", free.folder / "confout.gro", *self.files(name)[4:]]
        bound = holon.run(self.work / "bound", files, nsteps=20)
        self.assertLess(self.potential(bound), self.potential(bound, "initial"))

    def test_energies_are_exact_where_they_were_clamped(self):
        """Two argon atoms: 4 epsilon ((sigma/r)^12 - (sigma/r)^6)."""
        folder = self.work / "two"
        folder.mkdir()
        bad_starts.argon(folder, bad_starts.numpy.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.1]]), [2.6] * 3)
        r = round(0.1 * 2**22) / 2**22  # on the lattice of pair distances
        ratio, shift = (0.3405 / r) ** 6, (0.3405 / 0.9) ** 6
        energy = 4.0 * 0.99774 * (ratio**2 - ratio - shift**2 + shift)
        found = holon.run(self.work / "sp", holon.input_files(folder), nsteps=0)
        self.assertGreater(energy, 9e6)
        self.assertAlmostEqual(self.potential(found, "initial") / energy, 1.0, delta=1e-5)

    def test_a_field_that_depends_on_time_is_that_of_the_start(self):
        files, keys = holon.input_files(holon.INPUTS / "spce"), {"integrator": "steep", "electric_field_x": "1 10 0 0"}
        whole = holon.run(self.work / "whole", files, nsteps=6, **keys)
        part = holon.run(self.work / "part", files, nsteps=3, **keys)
        rest = holon.run(self.work / "rest", ["--restart", part.folder / "checkpoint.h5"], 2, nsteps=6)
        self.assertEqual(rest.state_hash, whole.state_hash)

    def test_dynamics_from_overlapping_atoms_fails(self):
        for name, text in (("same-place", "at the same place"), ("heap", "overlap")):
            for ranks in (1, 2):
                result = holon.run(
                    self.work / f"md.{name}.{ranks}",
                    self.files(name),
                    ranks,
                    status=holon.FAILED,
                    integrator="md",
                    nsteps=10,
                )
                self.assertIn(text, result.stderr)
                self.assertIn("steep", result.stderr)
                self.assertEqual(result.summary["status"], "failed")


if __name__ == "__main__":
    holon.main()
