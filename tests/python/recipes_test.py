#!/usr/bin/env python3
"""The cells of python/recipes.ipynb run one after the other, and what they find is what brute force finds."""

import contextlib
import io
import json
import os
import sys
import warnings

try:
    import h5py  # noqa: F401
    import matplotlib

    matplotlib.use("Agg")
    import MDAnalysis  # noqa: F401
    import numpy as np
except ImportError:
    sys.exit(77)

from run_folders import PACKAGE, runner
import holon

LYSOZYME = [runner.INPUTS / "lysozyme" / name for name in ("md.mdp", "conf.gro", "topol.top")]


def cells():
    notebook = json.loads((PACKAGE / "recipes.ipynb").read_text())
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


class Recipes(runner.ProgramTest):
    def setUp(self):
        super().setUp()
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.work)
        holon.run(*LYSOZYME, "run", ranks=2, nsteps=8, nstxout_compressed=2, precision="double")
        self.found, self.said = {}, []
        for code in cells():
            with contextlib.redirect_stdout(io.StringIO()) as said, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(code, self.found)
            self.said.append(said.getvalue())
        self.positions = np.array([0.1 * frame.positions for frame in self.found["u"].trajectory], float)
        self.box = 0.1 * self.found["u"].trajectory[0].dimensions[:3].astype(float)

    def nearest(self, d):
        return d - self.box * np.round(d / self.box)

    def check_rdf(self):
        # Neighbours of the first hundred molecules, one by one, in the first frame.
        x = self.positions[0][self.found["oxygen"].indices]
        near = [np.sum(np.linalg.norm(self.nearest(x - one), axis=1) < 0.34) - 1 for one in x[:100]]
        there = np.interp(0.34, self.found["edges"][1:], self.found["neighbours"])
        self.assertAlmostEqual(there, np.mean(near), delta=0.5)
        self.assertAlmostEqual(self.found["rdf"][-20:].mean(), 1.0, delta=0.1)
        self.assertTrue(0.26 < self.found["r"][self.found["rdf"].argmax()] < 0.29)

    def check_msd(self):
        x = self.positions[:, self.found["oxygen"].indices]
        steps = self.nearest(np.diff(x, axis=0))
        way = np.cumsum(steps, axis=0)
        np.testing.assert_allclose(self.found["msd"][-1], (way[-1] ** 2).sum(axis=1).mean(), rtol=1e-3)
        np.testing.assert_allclose(self.found["msd"][1], (steps**2).sum(axis=2).mean(), rtol=1e-3)

    def check_rmsd(self):
        rmsd = self.found["rmsd"]
        self.assertEqual(len(rmsd), 5)
        self.assertAlmostEqual(rmsd[0], 0.0, delta=1e-5)
        x = self.positions[:, self.found["backbone"].indices]
        moved = self.nearest(x[-1] - x[0])
        moved -= moved.mean(axis=0)  # without rotation: an upper bound, and close to it after a few fs
        bound = np.sqrt((moved**2).sum(axis=1).mean())
        self.assertLessEqual(rmsd[-1], 1.001 * bound)
        self.assertGreater(rmsd[-1], 0.8 * bound)

    def check_density(self):
        mass = self.found["u"].atoms.masses.sum()
        expected = mass * 1.66053907e-27 / (np.prod(self.box) * 1e-27)
        np.testing.assert_allclose(self.found["density"], expected, rtol=1e-5)
        np.testing.assert_allclose(self.found["profile"].mean(), expected, rtol=1e-5)

    def check_hydrogen_bonds(self):
        u, x = self.found["u"], self.positions[0]
        protein = u.select_atoms("protein")
        polar = [atom.index for atom in protein if atom.element in ("N", "O")]
        hydrogens = [
            (neighbour.index, atom)
            for atom in polar
            for neighbour in u.atoms[atom].bonded_atoms
            if neighbour.element == "H"
        ]
        count = 0
        for hydrogen, donor in hydrogens:
            others = [atom for atom in polar if atom != donor]
            to_donor = self.nearest(x[donor] - x[hydrogen])
            to_others = self.nearest(x[others] - x[hydrogen])
            near = np.linalg.norm(self.nearest(x[others] - x[donor]), axis=1) <= 0.3
            cosine = to_others @ to_donor / np.linalg.norm(to_others, axis=1) / np.linalg.norm(to_donor)
            count += np.sum(near & (np.degrees(np.arccos(np.clip(cosine, -1, 1))) >= 150.0))
        self.assertGreater(count, 20)
        self.assertEqual(self.found["hydrogen_bonds"][0], count)

    def test_all_of_them(self):
        self.assertEqual(len(self.said), 6)
        for words, said in zip(("33876 atoms, 5 frames", "first peak", "D = ", "at the end", "kg/m^3", "of the"), self.said):
            self.assertIn(words, said)
        for check in (self.check_rdf, self.check_msd, self.check_rmsd, self.check_density, self.check_hydrogen_bonds):
            with self.subTest(check.__name__):
                check()


if __name__ == "__main__":
    runner.main()
