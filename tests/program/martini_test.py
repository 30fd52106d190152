#!/usr/bin/env python3
"""A coarse-grained bilayer: energies, virial and forces are those of GROMACS in double precision, and dynamics under
semi-isotropic pressure has the same bits on any ranks. Skipped without gmx_d."""

import shutil
import unittest

import function_types_test as chains
from support import holon_runner as holon
from support import martini
import numpy
from support import trajectories

TERMS = ["Bond", "G96Angle", "LJ-(SR)", "Coulomb-(SR)"]


@unittest.skipUnless(shutil.which("gmx_d"), "GROMACS in double precision is not at hand")
class Martini(holon.ProgramTest):
    def test_bilayer(self):
        martini.write(self.work)
        settings = {**chains.SETTINGS, **martini.SETTINGS}
        (self.work / "md.mdp").write_text("".join(f"{key} = {value}\n" for key, value in settings.items()))
        files = ["-f", self.work / "md.mdp", "-c", self.work / "conf.gro", "-p", self.work / "topol.top"]
        calm = holon.run(self.work / "calm", files, 2, integrator="steep", nsteps=80, emstep=0.02, emtol=1)
        for name in ("conf.gro", "reference.gro"):
            shutil.copy(calm.folder / "confout.gro", self.work / name)
        energy, virial, forces = chains.judge(self.work, TERMS, **martini.SETTINGS)
        result = holon.run(self.work / "point", files, precision="double")
        initial = result.summary["initial"]
        self.assertAlmostEqual(initial["energies_kJ_per_mol"]["potential"], energy, delta=1e-6 * abs(energy))
        found = trajectories.forces(self.work / "point" / "trajectory.h5md")
        self.assertLess(numpy.abs(found - forces).max(), 1e-5 * numpy.abs(forces).max())
        mine = numpy.diag(initial["virial_kJ_per_mol"])
        self.assertLess(numpy.abs(mine - virial).max(), 1e-5 * numpy.abs(virial).max())
        found = {
            holon.run(self.work / str(ranks), files, ranks, nsteps=40, **martini.DYNAMICS).state_hash
            for ranks in (1, 3)
        }
        self.assertEqual(len(found), 1)


if __name__ == "__main__":
    holon.main()
