#!/usr/bin/env python3
"""Short runs end in the same bits on any number of ranks and any domain grid."""

from support import holon_runner as holon
from support.same_bits import hashes

LAYOUTS = [(1, None), (2, None), (3, "3x1x1"), (8, None)]


class SameBits(holon.ProgramTest):
    def check(self, name, layouts=LAYOUTS, **settings):
        found = hashes(self.work, holon.input_files(holon.INPUTS / name), layouts, **settings)
        self.assertEqual(len(set(found.values())), 1, found)

    def test_argon(self):
        self.check("argon", nsteps=50)

    def test_water_leap_frog(self):
        self.check("spce", nsteps=20)

    def test_water_velocity_verlet_in_double(self):
        self.check("spce", nsteps=20, integrator="md-vv", precision="double")

    def test_protein(self):
        self.check("lysozyme", [(1, None), (3, "1x1x3")], nsteps=10)

    def test_protein_with_all_bonds_rigid(self):
        shake = {"constraints": "all-bonds", "constraint_algorithm": "shake"}
        self.check("lysozyme", [(2, None), (3, "3x1x1")], nsteps=10, **shake)

    def test_any_skin(self):
        water, found = holon.input_files(holon.INPUTS / "spce"), {}
        for skin, ranks in ((0.02, 2), (0.1, 1), (0.34, 3), (0.8, 2)):
            run = holon.run(self.work / str(skin), water, ranks, skin=skin, nsteps=20, coulombtype="PME")
            found[skin] = run.state_hash
        self.assertEqual(len(set(found.values())), 1, found)

    def test_another_seed_gives_other_bits(self):
        water = holon.input_files(holon.INPUTS / "spce")
        first, second = (hashes(self.work / str(seed), water, [(1, None)], nsteps=5, ld_seed=seed) for seed in (1, 2))
        self.assertNotEqual(first, second)


if __name__ == "__main__":
    holon.main()
