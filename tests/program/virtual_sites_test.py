#!/usr/bin/env python3
"""Runs with virtual sites: the same bits on any ranks and from restarts, sites where they belong, energies, forces and
virial as GROMACS' where it is installed, and minimisation."""

import pathlib
import shutil
import sys
import unittest

import numpy

from support import holon_runner as holon
from support import sites
from support import systems
from support.same_bits import hashes, split_run

sys.path.append(str(holon.ROOT / "tools" / "acceptance.d"))
import site_energies  # noqa: E402

LAYOUTS = [(1, None), (2, None), (3, "1x1x3"), (8, None)]


class VirtualSites(holon.ProgramTest):
    def water(self, model):
        return holon.input_files(sites.write_water(self.work / model, model))

    def molecules(self):
        return holon.input_files(sites.write_molecules(self.work / "molecules"))

    def check_bits(self, name, files, **settings):
        found = hashes(self.work / "runs" / name, files, LAYOUTS, **settings)
        self.assertEqual(len(set(found.values())), 1, found)

    def test_waters_have_the_same_bits_on_any_ranks(self):
        for model in sites.WATERS:
            with self.subTest(model):
                self.check_bits(model, self.water(model))

    def test_every_kind_has_the_same_bits_on_any_ranks(self):
        files = self.molecules()
        for settings in ({}, {"integrator": "md-vv", "precision": "double"}, {"integrator": "sd", "tcoupl": "no"}):
            with self.subTest(settings):
                self.check_bits(settings.get("integrator", "md"), files, **settings)

    def test_goes_on_from_a_checkpoint(self):
        files = self.molecules()
        whole = holon.run(self.work / "whole", files, 1, nsteps=20)
        split = split_run(self.work / "split", files, 20)
        self.assertEqual(split.state_hash, whole.state_hash)
        branch = holon.run(self.work / "branch", ["--restart", self.work / "split" / "checkpoint.h5"], 3, nsteps=30)
        longer = holon.run(self.work / "longer", files, 2, nsteps=30)
        self.assertEqual(branch.state_hash, longer.state_hash)

    def test_sites_are_where_they_belong_and_at_rest(self):
        run = holon.run(self.work / "run", self.water("tip4p-2005"), 2, nsteps=15)
        _, _, x, v, box = systems.read_gro(run.folder / "confout.gro")
        x, v, edge = x.reshape(-1, 4, 3), v.reshape(-1, 4, 3), box[0][0]
        arms = x[:, 1:] - x[:, :1]
        arms -= edge * numpy.round(arms / edge)
        weight = float(sites.site_lines("tip4p-2005")[0][0].split()[-1])
        numpy.testing.assert_allclose(arms[:, 2], weight * (arms[:, 0] + arms[:, 1]), rtol=0, atol=1e-13)
        self.assertTrue(numpy.all(v[:, 3] == 0.0))
        self.assertEqual(run.summary["constraints"], 3 * len(x))

    def test_its_own_final_state_goes_on_with_the_same_energies(self):
        """confout.gro of one run starts another."""
        run = holon.run(self.work / "run", self.molecules(), 2, nsteps=5, integrator="md-vv", tcoupl="no")
        folder = self.work / "again"
        shutil.copytree(self.work / "molecules", folder)
        shutil.copy(run.folder / "confout.gro", folder / "conf.gro")
        settings = {"gen_vel": "no", "continuation": "yes", "integrator": "md-vv", "tcoupl": "no", "nsteps": 0}
        again = holon.run(self.work / "next", holon.input_files(folder), 3, **settings)
        first, second = run.summary["final"], again.summary["initial"]
        for term, energy in first["energies_kJ_per_mol"].items():
            if term != "conserved":
                self.assertAlmostEqual(second["energies_kJ_per_mol"][term], energy, delta=1e-5 * max(1, abs(energy)))
        self.assertAlmostEqual(first["temperature_K"], second["temperature_K"], delta=1e-6)

    def test_minimises(self):
        for name, files in (("water", self.water("tip5p")), ("molecules", self.molecules())):
            with self.subTest(name):
                runs = [
                    holon.run(self.work / f"{name}-{ranks}", files, ranks, integrator="steep", nsteps=60, emtol=1)
                    for ranks in (1, 3)
                ]
                energies = [runs[0].summary[when]["energies_kJ_per_mol"]["potential"] for when in ("initial", "final")]
                self.assertLess(energies[1], energies[0] - 100)
                self.assertEqual(*(run.state_hash for run in runs))

    @unittest.skipUnless(shutil.which("gmx_d"), "gmx_d is not installed")
    def test_energies_forces_and_virial_are_those_of_gromacs(self):
        for name in ("every kind", *sites.WATERS):
            with self.subTest(name):
                folder = self.work / "judged" / name.replace(" ", "-")
                if name == "every kind":
                    sites.write_molecules(folder, sites.JUDGED)
                else:
                    sites.write_water(folder, name)
                worst = site_energies.compare(pathlib.Path(folder), ranks=2, precision="double")
                for figure, (value, limit) in worst.items():
                    self.assertLess(value, limit, figure)


if __name__ == "__main__":
    holon.main()
