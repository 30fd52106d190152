#!/usr/bin/env python3
"""The mesh is as accurate as it says, on few points, and gives the same bits on any number of ranks."""

from support import holon_runner as holon
from support import references
from support import same_bits

WATER = holon.input_files(holon.INPUTS / "spce")
PME = {"coulombtype": "PME"}


class Mesh(holon.ProgramTest):
    def forces(self, name, **settings):
        """Forces of water and what summary.json says of the mesh."""
        forces = references.single_point(self.work / name, WATER, **PME, **settings)[1]
        return forces, holon.summary_of(self.work / name)["mesh"]

    def test_error_is_as_asked_and_as_measured(self):
        exact, _ = self.forces("exact", **references.CONVERGED)
        spme, spme_mesh = self.forces("spme", mesh="spme")
        limit = references.relative_rms(spme, exact)
        cases = {"default": (limit, {}), "3e-4": (3e-4, {"mesh_accuracy": 3e-4})}
        cases["1e-5"] = (1e-5, {"mesh_accuracy": 1e-5, "precision": "double"})
        for name, (limit, settings) in cases.items():
            with self.subTest(name):
                forces, mesh = self.forces(name, **settings)
                error = references.relative_rms(forces, exact)
                self.assertLess(error, limit)
                self.assertGreater(error, 0.2 * limit)
                self.assertAlmostEqual(mesh["measured_error"] / error, 1.0, delta=0.1)
                self.assertLess(mesh["grid_points"], spme_mesh["grid_points"] / (4 if name == "default" else 1))

    def test_error_is_as_expected_at_any_radius_of_the_split(self):
        for accuracy in (1e-3, 1e-4):
            for radius in (0.6, 0.8, 1.3):
                with self.subTest(accuracy=accuracy, radius=radius):
                    name = f"{accuracy}-{radius}"
                    settings = {"mesh_accuracy": accuracy, "coulomb_split_radius": radius, "rcoulomb": 1.3}
                    _, mesh = self.forces(name, **settings)
                    self.assertEqual(mesh["split_radius_nm"], radius)
                    self.assertAlmostEqual(mesh["expected_error"] / mesh["measured_error"], 1.0, delta=0.2)
                    self.assertLess(mesh["measured_error"], accuracy)

    def test_error_is_below_that_of_smooth_pme_with_the_same_settings(self):
        for rcoulomb, fourierspacing, pme_order in ((0.9, 0.16, 4), (1.2, 0.12, 4), (1.0, 0.12, 6)):
            with self.subTest(rcoulomb=rcoulomb, fourierspacing=fourierspacing, pme_order=pme_order):
                settings = {"rcoulomb": rcoulomb, "fourierspacing": fourierspacing, "pme_order": pme_order}
                name = "-".join(map(str, settings.values()))
                _, spme = self.forces(f"spme-{name}", mesh="spme", **settings)
                self.assertAlmostEqual(spme["expected_error"] / spme["measured_error"], 1.0, delta=0.2)
                _, esp = self.forces(f"esp-{name}", **settings)
                self.assertLess(esp["measured_error"], spme["measured_error"])

    def test_energies_of_the_methods_agree(self):
        def coulomb(name, **settings):
            energies = references.single_point(self.work / name, WATER, precision="double", **settings)[0]
            return sum(energy for term, energy in energies.items() if term.startswith("coulomb"))

        ewald = {"coulomb_modifier": "none", "ewald_rtol": 1e-10}
        exact = coulomb("ewald", coulombtype="Ewald", **ewald)
        spme = {"mesh": "spme", "fourierspacing": 0.05, "pme_order": 12, **ewald}
        for name, settings, limit in (("esp", {"mesh_accuracy": 1e-6}, 1e-7), ("spme", spme, 2e-9)):
            with self.subTest(name):
                self.assertAlmostEqual(coulomb(name, **PME, **settings) / exact, 1.0, delta=limit)

    def test_same_bits(self):
        for name, settings in {
            "esp": {},
            "spme": {"mesh": "spme", "precision": "double", "integrator": "md-vv"},
            "ewald": {"coulombtype": "Ewald", "ewald_rtol": 1e-2, "nsteps": 2},
        }.items():
            with self.subTest(name):
                layouts, settings = [(1, None), (3, "1x3x1"), (8, None)], {**PME, "nsteps": 10, **settings}
                found = same_bits.hashes(self.work / name, WATER, layouts, **settings)
                self.assertEqual(len(set(found.values())), 1, found)

    def test_a_restart_goes_on(self):
        whole = holon.run(self.work / "whole", WATER, 2, nsteps=20, **PME)
        split = same_bits.split_run(self.work / "split", WATER, 20, **PME)
        self.assertEqual(split.state_hash, whole.state_hash)


if __name__ == "__main__":
    holon.main()
