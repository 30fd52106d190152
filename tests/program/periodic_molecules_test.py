#!/usr/bin/env python3
"""Molecules bonded to themselves through the box: energies, virial, forces and trajectories are those of GROMACS in
double precision; with constraints the same bits wherever domains cut and after a restart."""

import shutil
import unittest

import function_types_test as judges
from support import holon_runner as holon
import numpy
from support import periodic_molecules
from support import trajectories
from support.same_bits import split_run

TERMS = ["Bond", "Angle", "Proper-Dih.", "LJ-14", "Coulomb-14", "LJ-(SR)"]
MOLECULES = {"polymer": periodic_molecules.polymer, "nanotube": periodic_molecules.nanotube}
SETTINGS = {**judges.SETTINGS, "rcoulomb": 0.9, "rvdw": 0.9, "periodic_molecules": "yes"}
DYNAMICS = {**SETTINGS, "integrator": "md", "nsteps": 20, "nstxout": 20, "constraints": "all-bonds"}
LINCS = {"constraint_algorithm": "lincs", "lincs_order": 8, "lincs_iter": 12}
EXACT_LINCS = {**LINCS, "lincs_order": 40}  # bonds of a nanotube are coupled as strongly as LINCS can take
SOLVERS = {
    "lincs": LINCS,
    "shake": {"constraint_algorithm": "shake", "shake_tol": 1e-10},
    "newton": {"constraint_algorithm": "newton"},
}
LAYOUTS = ((1, "1x1x1"), (2, "1x1x2"), (3, "1x1x3"), (8, "2x2x2"))
with_gromacs = unittest.skipUnless(shutil.which("gmx_d"), "GROMACS in double precision is not at hand")


class PeriodicMolecules(holon.ProgramTest):
    def files(self, name, settings):
        folder = periodic_molecules.write(self.work, MOLECULES[name]())
        (folder / "md.mdp").write_text("".join(f"{key} = {value}\n" for key, value in settings.items()))
        shutil.copy(folder / "conf.gro", folder / "reference.gro")
        return holon.input_files(folder)

    @with_gromacs
    def test_single_points(self):
        for name in MOLECULES:
            arguments = self.files(name, SETTINGS)
            energy, virial, forces = judges.judge(self.work, TERMS, **SETTINGS)
            result = holon.run(self.work / name, arguments, 3, precision="double", domains="1x1x3")
            initial = result.summary["initial"]
            terms = initial["energies_kJ_per_mol"]
            mine = sum(value for term, value in terms.items() if term not in judges.OTHERS)
            self.assertAlmostEqual(mine, energy, delta=1e-6 * abs(energy), msg=name)
            found = trajectories.forces(self.work / name / "trajectory.h5md")
            self.assertLess(numpy.abs(found - forces).max(), 1e-5 * numpy.abs(forces).max(), name)
            off = numpy.diag(initial["virial_kJ_per_mol"]) - virial
            self.assertLess(numpy.abs(off).max(), 1e-5 * numpy.abs(virial).max(), name)

    @with_gromacs
    def test_trajectories_with_lincs(self):
        for name in MOLECULES:
            arguments = self.files(name, {**DYNAMICS, **EXACT_LINCS, "continuation": "no"})
            extra = "cutoff-scheme = verlet\nverlet-buffer-tolerance = -1\nrlist = 1.0\nnstlist = 1\n"
            (self.work / "gmx.mdp").write_text((self.work / "md.mdp").read_text() + extra)
            files = ("-f", "gmx.mdp", "-c", "conf.gro", "-p", "topol.top", "-o", "t.tpr", "-maxwarn", 20)
            judges.gmx(self.work, "grompp", *files)
            judges.gmx(self.work, "mdrun", "-s", "t.tpr", "-deffnm", "t", "-ntmpi", 1, "-ntomp", 1)
            judges.gmx(self.work, "traj", "-f", "t.trr", "-s", "t.tpr", "-ox", "x.xvg", "-fp", answer="0\n")
            expected = numpy.array(judges.last_row(self.work / "x.xvg")[1]).reshape(-1, 3)
            holon.run(self.work / name, arguments, 2, precision="double", domains="1x1x2")
            found = trajectories.frames(self.work / name / "trajectory.h5md")[1][-1]
            side = numpy.array([4.0, 4.0, MOLECULES[name]().period])
            off = found - expected
            self.assertLess(numpy.abs(off - side * numpy.rint(off / side)).max(), 1e-7, name)

    def test_same_bits(self):
        for name in MOLECULES:
            arguments = self.files(name, {**DYNAMICS, "continuation": "no", "gen_vel": "yes", "gen_seed": 3})
            for solver, settings in SOLVERS.items():
                folder = self.work / f"{name}-{solver}"
                runs = [
                    holon.run(folder / domains, arguments, ranks, domains=domains, **settings)
                    for ranks, domains in (LAYOUTS if solver == "lincs" else LAYOUTS[::3])
                ]
                self.assertEqual(len({run.state_hash for run in runs}), 1, f"{name}, {solver}")
                errors = [run.summary["constraint_error"]["length_max_relative"] for run in runs]
                self.assertLess(max(errors), 1e-6, f"{name}, {solver}")
                self.assertEqual(runs[0].state_hash, split_run(folder / "split", arguments, 20, **settings).state_hash)

    def test_box_that_changes(self):
        coupled = {"pcoupl": "C-rescale", "tau_p": 1, "ref_p": "1 1", "pcoupltype": "semiisotropic"}
        bath = {"tcoupl": "v-rescale", "tc_grps": "System", "tau_t": 0.1, "ref_t": 300, "ld_seed": 5}
        arguments = self.files("polymer", {**DYNAMICS, **coupled, **bath, "nstpcouple": 5, **LINCS})
        refused = holon.run(self.work / "no", arguments, 2, status=holon.BAD_INPUT, compressibility="4e-5 4e-5")
        self.assertIn("Molecule type CHAIN: constraints hold it to its own periodic images along c", refused.stderr)
        hashes = set()
        for ranks, domains in LAYOUTS:
            run = holon.run(self.work / domains, arguments, ranks, domains=domains, compressibility="4e-5 0")
            hashes.add(run.state_hash)
            lines = (run.folder / "confout.gro").read_text().splitlines()
            box = [float(word) for word in lines[-1].split()]
            self.assertNotEqual(box[0], 4.0)
            self.assertAlmostEqual(box[2], MOLECULES["polymer"]().period, delta=1e-6)
            self.assertLess(run.summary["constraint_error"]["length_max_relative"], 1e-6)
        self.assertEqual(len(hashes), 1)
        free = holon.run(self.work / "free", arguments, 2, constraints="none", compressibility="4e-5 4e-5")
        self.assertNotEqual(free.state_hash, run.state_hash)


if __name__ == "__main__":
    holon.main()
