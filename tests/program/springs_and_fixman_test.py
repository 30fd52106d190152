#!/usr/bin/env python3
"""Stiff springs in the place of constraints, and the Fixman potential of those that stay: whole runs."""

import re

import numpy

from support import alkanes
from support import bad_input
from support import ensembles
from support import holon_runner as holon
from support import systems
from support import trajectories

SPRINGS = {"constraint_algorithm": "springs", "constraints": "all-bonds", "dt": 0.0001, "precision": "double"}
TERM = "constraint-spring"


class SpringsAndFixman(holon.ProgramTest):
    def dodecane(self):
        alkanes.dodecane(self.work / "dodecane", cells=(1, 4, 4), water_cells=(4, 5, 3))
        files = holon.input_files(self.work / "dodecane")
        relaxed = holon.run(self.work / "relaxed", files, 2, integrator="steep", nsteps=40)
        return [*files[:2], "-c", relaxed.folder / "confout.gro", *files[4:]]

    def same_bits(self, files, name, **settings):
        """State hash of a run on one rank, which others on more and with a restart share; and its summary."""
        whole = holon.run(self.work / f"{name}-whole", files, 1, nsteps=12, **settings)
        for ranks in (2, 3):
            other = holon.run(self.work / f"{name}-{ranks}", files, ranks, nsteps=7, **settings)
            goes_on = holon.run(other.folder, ["--restart", other.folder / "checkpoint.h5"], 5 - ranks, nsteps=12)
            self.assertEqual(goes_on.state_hash, whole.state_hash, (name, ranks))
            self.assertEqual(goes_on.summary["final"]["energies_kJ_per_mol"], whole.summary["final"]["energies_kJ_per_mol"])
        return whole

    def test_springs_run_with_every_integrator_on_any_number_of_ranks(self):
        files = self.dodecane()
        for integrator in ("md", "md-vv", "sd"):
            run = self.same_bits(files, integrator, integrator=integrator, **SPRINGS)
            self.assertEqual(run.summary["constraints"], 3 * 60)  # of the waters, by SETTLE
            initial = run.summary["initial"]
            dof = 2 * initial["energies_kJ_per_mol"]["kinetic"] / (ensembles.BOLTZMANN * initial["temperature_K"])
            self.assertAlmostEqual(dof, 3 * (16 * 38 + 60 * 3) - 3 * 60, places=3)
            start, end = (run.summary[when]["energies_kJ_per_mol"][TERM] for when in ("initial", "final"))
            self.assertLess(start, 1e-9)  # on the constraints
            self.assertGreater(end, 0.1)
            log = (run.folder / "md.log").read_text()
            self.assertIn("settle: 60 clusters", log)
            self.assertRegex(log, r"Springs: 592 in the place of constraints, .*; largest stable step 0\.000[0-9]+ ps")

    def test_springs_are_harmonic_bonds(self):
        """With the constant of kT / (tolerance length)^2."""
        ensembles.trimers(self.work / "rigid", 200, 0.001)
        files = holon.input_files(self.work / "rigid")
        constant = ensembles.BOLTZMANN * 300 / (2e-3 * ensembles.TRIMER_BOND) ** 2
        text = (self.work / "rigid" / "topol.top").read_text().replace("[ constraints ]", "[ bonds ]")
        (self.work / "bonds.top").write_text(re.sub(r"^(\d \d 1 [\d.]+)$", rf"\1 {constant!r}", text, flags=re.M))
        how = {"integrator": "md-vv", "dt": 0.0002, "nsteps": 200, "nstenergy": 1, "precision": "double"}
        how |= {"coulomb_modifier": "none", "vdw_modifier": "none"}
        soft = holon.run(self.work / "springs", files, 2, constraint_algorithm="springs", spring_tolerance=2e-3, **how)
        start = [*files[:2], "-c", self.work / "start.gro", "-p", self.work / "bonds.top"]
        first = holon.run(self.work / "first", files, 1, constraint_algorithm="springs", **{**how, "nsteps": 0})
        (first.folder / "confout.gro").rename(self.work / "start.gro")
        hard = holon.run(self.work / "bonds", start, 1, **how, gen_vel="no")
        a, b = (trajectories.energies(run.folder / "energy.csv") for run in (soft, hard))
        numpy.testing.assert_allclose(a[TERM], b["bond"], rtol=1e-5, atol=1e-5)
        self.assertGreater(a[TERM].max(), 100.0)
        drift = numpy.abs(a["conserved"] - a["conserved"][0]).max()
        self.assertLess(drift, 0.01 * a["kinetic"].mean())

    def test_the_virial_is_the_derivative_of_the_energy(self):
        """Springs of trimers that have begun to swing, and a strain."""
        ensembles.trimers(self.work / "rigid", 200, 0.001)
        files = holon.input_files(self.work / "rigid")
        how = {"constraint_algorithm": "springs", "dt": 0.0002, "precision": "double", "coulomb_modifier": "none"}
        swinging = holon.run(self.work / "swinging", files, 2, nsteps=50, **how)
        title, labels, x, _, box = systems.read_gro(swinging.folder / "confout.gro")
        strain, found = 1e-5, []
        for n in (-1, 0, 1):
            scale = 1.0 + n * strain
            systems.write_gro(self.work / f"{n}.gro", title, labels, scale * x, None, scale * box, decimals=13)
            start = [*files[:2], "-c", self.work / f"{n}.gro", *files[4:]]
            found.append(holon.run(self.work / f"{n}", start, 2, nsteps=0, continuation="yes", gen_vel="no", **how))
        low, middle, high = (run.summary["initial"] for run in found)
        slope = (high["energies_kJ_per_mol"][TERM] - low["energies_kJ_per_mol"][TERM]) / (2 * strain)
        self.assertGreater(abs(slope), 1000.0)
        self.assertAlmostEqual(numpy.trace(middle["virial_kJ_per_mol"]) / (slope / 2), 1.0, places=5)

    def test_the_fixman_potential_has_the_same_bits_and_conserves_energy(self):
        files = self.dodecane()
        how = {"constraints": "all-bonds", "constraint_algorithm": "newton", "fixman": "yes", "dt": 0.001}
        for integrator in ("md", "sd"):
            thermostat = {"tcoupl": "v-rescale"} if integrator == "md" else {}
            self.same_bits(files, f"fixman-{integrator}", integrator=integrator, **how, **thermostat)
        ensembles.trimers(self.work / "gas", 300, 0.001)
        free = {"integrator": "md-vv", "ensemble_temperature": 300, "fixman": "yes", "nsteps": 300, "nstenergy": 5}
        runs = [holon.run(self.work / f"free-{n}", holon.input_files(self.work / "gas"), n, **free) for n in (1, 3)]
        self.assertEqual(runs[0].state_hash, runs[1].state_hash)
        energies = trajectories.energies(runs[0].folder / "energy.csv")
        moved, error = (numpy.ptp(energies[key]) for key in ("fixman", "conserved"))
        self.assertGreater(moved, 2.0)
        self.assertLess(error, 0.01 * moved)

    def test_what_can_not_be_is_refused(self):
        ensembles.trimers(self.work / "rigid", 50, 0.001)
        files = holon.input_files(self.work / "rigid")
        refusals = {
            "step": ({"constraint_algorithm": "springs", "dt": 0.002}, ("dt = 0.002", "no step of", "spring-tolerance")),
            "soft": ({"constraint_algorithm": "springs", "spring_tolerance": 0.5}, ("spring-tolerance", "at most 0.1")),
            "brown": ({"constraint_algorithm": "springs", "integrator": "bd"}, ("springs", "integrator = bd")),
            "both": ({"constraint_algorithm": "springs", "fixman": "yes"}, ("fixman", "need no such potential")),
            "cold": ({"fixman": "yes", "integrator": "md"}, ("ensemble-temperature", "fixman = yes")),
        }
        for name, (settings, says) in refusals.items():
            with self.subTest(name):
                output = self.work / name
                words = [*files, "-o", output, *holon.options(settings)]
                self.assertEqual(bad_input.refusal(words, 2, says), "")
        # Close to what is stable, or to what is accurate: notes.
        for dt, says in ((0.00045, "every shape"), (0.00025, "seventh of the period")):
            run = holon.run(self.work / f"note-{dt}", files, 1, constraint_algorithm="springs", dt=dt, nsteps=1)
            self.assertIn(says, run.stderr)
        quiet = holon.run(self.work / "quiet", files, 1, constraint_algorithm="springs", dt=0.0001, nsteps=1)
        self.assertNotIn("springs", quiet.stderr)


if __name__ == "__main__":
    holon.main()
