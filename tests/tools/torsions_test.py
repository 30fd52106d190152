#!/usr/bin/env python3
"""holon-torsions: minima and modes of one molecule; holon-md with constraints = torsion-only from bent flat groups."""

import csv
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402
from support import vacuum_peptide  # noqa: E402


class Torsions(holon.ProgramTest):
    def test_minimum(self):
        arguments = vacuum_peptide.write(self.work / "peptide")
        steps, minimum = self.work / "steps.csv", self.work / "minimum.gro"
        result = holon.call("holon-torsions", ["minimise", *arguments, "--csv", steps, "--gro", minimum])
        self.assertEqual(result.status, holon.FINISHED, result.stderr)
        self.assertIn("Converged", result.stdout)
        with open(steps, newline="") as file:
            energies = [float(row["energy_kJ_per_mol"]) for row in csv.DictReader(file)]
        self.assertGreater(len(energies), 10)
        self.assertTrue(all(after < before for before, after in zip(energies, energies[1:])))

        # It is a minimum for holon-md, too, with bonds and angles kept: nothing moves, and the energy is the same.
        options = {"constraints": "torsion-only", "integrator": "steep", "precision": "double", "nsteps": 0, "emtol": 1}
        files = [minimum if word == self.work / "peptide" / "conf.gro" else word for word in arguments]
        self.assertIn(minimum, files)
        run = holon.run(self.work / "run", files, **options)
        potential = run.summary["initial"]["energies_kJ_per_mol"]["potential"]
        self.assertAlmostEqual(potential, energies[-1], delta=1e-6)
        force = re.search(r"largest force is (\S+) kJ", (run.folder / "md.log").read_text())
        self.assertLess(float(force[1]), 1.0)

    def test_modes_are_those_of_the_projected_hessian(self):
        arguments = vacuum_peptide.write(self.work / "peptide")
        found, expected = (vacuum_peptide.wavenumbers(self.work, arguments, *way) for way in ([], ["--cartesian"]))
        self.assertEqual(len(found), 69)  # every torsion
        self.assertGreater(found[0], 0.0)
        self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), 1e-4 * expected[-1])

    def test_what_it_refuses(self):
        arguments = vacuum_peptide.write(self.work / "peptide")
        argon = holon.input_files(holon.INPUTS / "argon")
        for words, ranks, expected in (
            (["minimise", *argon], 0, "molecules"),
            (["modes", *arguments], 2, "one rank"),
            ([*arguments], 0, "minimise or modes"),
            (["modes", *arguments, "--torque", "-1"], 0, "above 0"),
            (["modes", *arguments, "-o", self.work / "run"], 0, "--gro"),
        ):
            with self.subTest(words=words):
                result = holon.call("holon-torsions", words, ranks)
                self.assertEqual(result.status, holon.BAD_INPUT)
                self.assertIn(expected, result.stderr)

    def test_a_start_with_bent_flat_groups(self):
        """Out of dynamics with flexible bonds, guanidinium groups are 0.02 nm off their planes."""
        lysozyme = holon.input_files(holon.INPUTS / "lysozyme")
        options = {"constraints": "torsion-only", "constraint_algorithm": "newton", "nsteps": 0}
        run = holon.run(self.work / "run", lysozyme, **options)
        self.assertLess(run.summary["constraint_error"]["length_max_relative"], 1e-12)


if __name__ == "__main__":
    holon.main()
