#!/usr/bin/env python3
"""AMBER's and CHARMM's files through tools/convert: energies, forces and virial of what it makes are those of GROMACS in
double precision, and the energies those of the system from which the files were made. Skipped without ParmEd or gmx_d."""

import shutil
import subprocess
import sys
import unittest

from support import holon_runner as holon
from support import other_force_fields

sys.path.insert(0, str(holon.ROOT / "tools" / "acceptance.d"))
import gromacs  # noqa: E402
import site_energies  # noqa: E402

MDP = {"integrator": "md", "nsteps": 0, "dt": 0.001}
CUBE = ("-bt", "cubic", "-box", "2.2", "2.2", "2.2")
CUTOFFS = {"rcoulomb": 0.9, "rvdw": 0.9}
DECIMALS = 2e-5  # of the files in between, relative to the largest term


@unittest.skipUnless(shutil.which("gmx_d") and other_force_fields.have_parmed(), "ParmEd or gmx_d is not at hand")
class OtherForceFields(holon.ProgramTest):
    def check(self, kind, force_field):
        gromacs.peptide(self.work, force_field, box=CUBE, residues=6)
        converted = other_force_fields.there_and_back(kind, self.work)
        gromacs.write_mdp(converted / "md.mdp", MDP)
        for name, (error, limit) in site_energies.compare(converted, 2, **CUTOFFS).items():
            self.assertLess(error, limit, name)
        start = converted / "start-double" / "conf.gro"
        shutil.copy(start, self.work / "conf.gro")
        original, _ = gromacs.single_point(self.work, {**site_energies.JUDGE, **CUTOFFS})
        found, _ = gromacs.single_point(converted / "start-double", {**site_energies.JUDGE, **CUTOFFS})
        self.assertEqual(set(found), set(original))
        largest = max(map(abs, original.values()))
        for name in original:
            self.assertAlmostEqual(found[name], original[name], delta=DECIMALS * largest, msg=name)

    def test_amber(self):
        self.check("amber", "amber99sb-ildn")

    def test_charmm(self):
        self.check("charmm", "charmm27")

    def test_refusals(self):
        (self.work / "a.psf").write_text("PSF\n\n")
        convert = [other_force_fields.PYTHON, holon.ROOT / "tools" / "convert"]
        for words, message in (
            (["a.psf", "b.crd"], "needs parameters"),
            (["a.prmtop", "a.inpcrd"], "convert: "),
            (["a.psf", "b.crd", "c.prm"], "convert: "),
        ):
            done = subprocess.run([*convert, *words, "-o", "out"], cwd=self.work, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    holon.main()
