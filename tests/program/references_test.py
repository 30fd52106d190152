#!/usr/bin/env python3
"""Energies and forces of whole systems agree with GROMACS'. Skipped where the references are not at hand."""

import unittest

from support import holon_runner as holon
from support import references

SYSTEMS = holon.SHARED_SYSTEMS


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


if __name__ == "__main__":
    holon.main()
