"""Items 3 and 4: function types, restraints, what holds and drives atoms, periodic molecules, against GROMACS in double
precision; by the program tests, whose limits these are."""

import importlib
import shutil
import unittest

import gromacs


def tests_of(module, what):
    def run(report):
        if not shutil.which("gmx_d"):
            raise gromacs.Missing("gmx_d is not installed")
        suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(module))
        result = unittest.TestResult()
        suite.run(result)
        for test, text in [*result.failures, *result.errors]:
            report.check(test.id().split(".")[-1], False, text)
        failed = len(result.failures) + len(result.errors)
        report.at_least(f"{module}: tests", result.testsRun, 1)
        failed += len(result.skipped)
        report.check(f"{module}: failed or skipped", failed == 0, failed, "= 0")

    run.__doc__ = what
    return run


CASES = {
    "3.function-types": tests_of(
        "function_types_test", "function types, restraints, terms between molecules: energies, forces, domain cuts"
    ),
    "3.bilayer": tests_of("martini_test", "a coarse-grained lipid bilayer: energies, forces, bits"),
    "4.frozen-and-driven": tests_of("frozen_and_driven_test", "frozen and accelerated atoms, electric fields, averages"),
    "4.periodic-molecules": tests_of(
        "periodic_molecules_test", "polymer and nanotube through the box: single points, LINCS, SHAKE, Newton, restarts"
    ),
    "4.energy-groups": tests_of("energy_groups_test", "energies by pairs of groups"),
    "4.coordinate-formats": tests_of("coordinate_formats_test", "the same start from .gro, .pdb, .cif and .g96"),
}
