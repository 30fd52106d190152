#!/usr/bin/env python3
"""The sample configurations of NIST have the published energies, component by component, to the last digit."""

from support import holon_runner as holon
from support import nist

ROUNDING = 0.55  # of the last digit


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
