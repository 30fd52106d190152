#!/usr/bin/env python3
"""Energies and forces of whole systems agree with GROMACS', where the references are at hand; NIST's sample
configurations have the published energies, component by component, to the last digit."""

import unittest

from support import holon_runner as holon
from support import nist
from support import references

SYSTEMS = holon.SHARED_SYSTEMS
ROUNDING = 0.55  # of the last digit


@unittest.skipUnless(SYSTEMS.is_dir(), "no reference systems beside the source")
class References(holon.ProgramTest):
    def check(self, system, precision):
        expected = references.read_reference(SYSTEMS / system / "reaction-field.h5")
        found = references.single_point(
            self.work / "run", holon.input_files(SYSTEMS / system), precision=precision, **references.REACTION_FIELD
        )
        energy_limit, force_limit = references.LIMITS[precision]
        relative = references.errors(found, expected, SYSTEMS / system / "conf.gro")
        self.assertLess(references.worst(relative)[0], energy_limit, relative)
        self.assertLess(relative["forces"], force_limit)

    def check_mesh(self, system, precision):
        expected = references.read_reference(SYSTEMS / system / "as-is.h5")
        files = holon.input_files(SYSTEMS / system)
        found = references.single_point(self.work / "run", files, precision=precision, mesh="spme")
        energy_limit, force_limit = references.MESH_LIMITS[precision]
        relative = references.errors(found, expected, SYSTEMS / system / "conf.gro")
        self.assertLess(references.worst(relative)[0], energy_limit, relative)
        self.assertLess(relative["forces"], force_limit)

    def test_water_with_a_mesh(self):
        self.check_mesh("spce-3852", "double")

    def test_charged_protein_with_a_mesh(self):
        self.check_mesh("dhfr", "mixed")

    def test_water_in_double(self):
        self.check("spce-3852", "double")

    def test_protein_in_double(self):
        self.check("dhfr", "double")

    def test_protein_in_mixed(self):
        self.check("lysozyme", "mixed")


class Nist(holon.ProgramTest):
    def check(self, errors):
        for name, error in errors.items():
            self.assertLess(abs(error), ROUNDING, name)

    def test_lennard_jones(self):
        for cutoff in nist.LENNARD_JONES:
            for number in nist.CONFIGURATIONS:
                with self.subTest(cutoff=cutoff, configuration=number):
                    self.check(nist.atoms_errors(self.work / f"{cutoff}-{number}", number, cutoff))

    def test_water_with_plain_ewald(self):
        for number in nist.CONFIGURATIONS:
            with self.subTest(configuration=number):
                self.check(nist.water_errors(self.work / str(number), number))


if __name__ == "__main__":
    holon.main()
