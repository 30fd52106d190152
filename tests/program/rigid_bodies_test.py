#!/usr/bin/env python3
"""Rigid bodies: molecules in a line and in a plane, from distances and by group; cut by domains; refused with a reason.
Water by turns about one axis after the other."""

import re

import numpy
from support import bad_input
from support import holon_runner as holon
from support import rigid_molecules
from support import systems
from support import trajectories

MDP = rigid_molecules.mdp(cutoff=0.9, more="constraint-algorithm = rigid\n")
CO2 = rigid_molecules.CARBON_DIOXIDE
BENZENE = rigid_molecules.BENZENE


def carbon_dioxide(decimals=6):
    distances = rigid_molecules.all_distances(CO2)
    return rigid_molecules.files("CO2", CO2, 5, 0.5, MDP, distances, decimals)


def benzene(mdp="", constraints="", decimals=6):
    return rigid_molecules.files("BNZ", BENZENE, 4, 0.65, MDP + mdp, constraints, decimals)


class RigidBodies(bad_input.RefusalTest):
    def test_in_a_line_have_five_degrees_of_freedom(self):
        """Of three constraints, of which others can not keep more than two: a refusal without `rigid`."""
        files = carbon_dioxide()
        arguments = bad_input.write_input(self.work / "co2", files)
        run = holon.run(self.work / "run", arguments, 2, nsteps=100)
        other = holon.run(self.work / "other", arguments, 1, nsteps=60)
        goes_on = holon.run(other.folder, ["--restart", other.folder / "checkpoint.h5"], 3, nsteps=100)
        self.assertEqual(goes_on.state_hash, run.state_hash)
        self.assertEqual(holon.ndof(run.summary), 5 * 125 - 3)
        self.assertEqual(run.summary["constraints"], 4 * 125)
        self.assertLess(run.summary["constraint_error"]["length_max_relative"], 1e-13)
        self.assertLess(run.summary["constraint_error"]["velocity_max_per_ps"], 1e-10)
        self.assertIn("rigid: 125 clusters, 500 constraints", (run.folder / "md.log").read_text())
        _, _, x, _, _ = systems.read_gro(run.folder / "confout.gro")
        for first in range(0, len(x), 3):  # still in a line
            self.assertLess(abs(x[first + 1] + x[first + 2] - 2 * x[first]).max(), 1e-6)
        energies = run.summary["initial"]["energies_kJ_per_mol"], run.summary["final"]["energies_kJ_per_mol"]
        self.assertLess(abs(energies[1]["conserved"] - energies[0]["conserved"]), 0.01 * energies[0]["kinetic"])
        self.refuse("newton", files, ("Molecule type CO2", "constraint-algorithm = rigid"), constraint_algorithm="newton")

    def test_in_a_plane_are_the_same_on_any_number_of_ranks_and_after_a_restart(self):
        """As a group, from coordinates of three decimals, whose bodies domains cut."""
        files = bad_input.write_input(self.work / "benzene", benzene("rigid-groups = System\n", decimals=3))
        whole = holon.run(self.work / "whole", files, 1, nsteps=40)
        self.assertEqual(holon.ndof(whole.summary), 6 * 64 - 3)
        self.assertLess(whole.summary["constraint_error"]["length_max_relative"], 1e-13)
        log = (whole.folder / "md.log").read_text()
        self.assertIn("rigid bodies: 1 of 12 atoms", log)
        self.assertTrue(re.search(r"in others differ by up to [\d.]+e-03 nm at the start", log))
        for ranks in (3, 8):
            other = holon.run(self.work / f"on-{ranks}", files, ranks, nsteps=25)
            goes_on = holon.run(other.folder, ["--restart", other.folder / "checkpoint.h5"], 2, nsteps=40)
            self.assertEqual(goes_on.state_hash, whole.state_hash, ranks)
            self.assertEqual(holon.ndof(goes_on.summary), 6 * 64 - 3)

    def test_come_from_all_distances_of_a_plane_as_from_a_group(self):
        """One benzene by its 66 distances moves as the one named by group, and so does every ensemble."""
        by_group = bad_input.write_input(self.work / "group", benzene("rigid-groups = BNZ\n"))
        distances = rigid_molecules.all_distances(BENZENE)
        by_distance = bad_input.write_input(self.work / "distances", benzene(constraints=distances))
        index = self.work / "index.ndx"
        index.write_text("[ BNZ ]\n" + " ".join(map(str, range(1, 12 * 64 + 1))) + "\n")
        settings = {
            "npt": {"tcoupl": "v-rescale", "pcoupl": "C-rescale", "tau_p": 1, "ref_p": 1, "compressibility": 1e-4},
            "sd": {"integrator": "sd"},
        }
        coupled = {"tc_grps": "System", "tau_t": 0.5, "ref_t": 250, "ld_seed": 3, "gen_vel": "yes"}
        for name, how in settings.items():
            runs = [
                holon.run(self.work / f"{name}-{k}", [*files, "-n", index], 2, nsteps=50, **coupled, **how)
                for k, files in enumerate((by_group, by_distance))
            ]
            x, y = (systems.read_gro(run.folder / "confout.gro")[2] for run in runs)
            self.assertLess(abs(x - y).max(), 1e-4)  # lengths in the topology have six decimals
            for run in runs:
                self.assertLess(run.summary["constraint_error"]["length_max_relative"], 1e-13)

    def test_move_as_masses_with_virtual_sites_that_have_their_inertia(self):
        """Two masses and three sites, three masses and twelve: the same bodies, from rest, by SHAKE."""
        settings = {"gen_vel": "no", "precision": "double", "dt": 0.001, "nsteps": 60}
        for name, atoms, cells, spacing, first in (("CO2", CO2, 5, 0.5, 2), ("BNZ", BENZENE, 3, 0.68, 3)):
            distances = rigid_molecules.all_distances(atoms)
            whole = rigid_molecules.files(name, atoms, cells, spacing, MDP, distances, 9)
            sites = rigid_molecules.carried(name, atoms, cells, spacing, MDP, 9)
            places = []
            for kind, files in (("whole", whole), ("sites", sites)):
                arguments = bad_input.write_input(self.work / f"{name}-{kind}", files)
                algorithm = "rigid" if kind == "whole" else "newton"
                run = holon.run(self.work / f"{name}-{kind}-run", arguments, 2, constraint_algorithm=algorithm, **settings)
                _, _, x, _, _ = systems.read_gro(run.folder / "confout.gro")
                places.append(x.reshape(cells**3, -1, 3)[:, 0 if kind == "whole" else first :])
            _, _, start, _, _ = systems.read_gro(self.work / f"{name}-whole" / "conf.gro")
            self.assertGreater(abs(places[0] - start.reshape(places[0].shape)).max(), 1e-3)
            self.assertLess(abs(places[0] - places[1]).max(), 1e-7)

    def test_turn_about_one_axis_after_another(self):
        """Water by dlm and no-squish in a bath: its energy as with settle, same bits on any ranks and after a restart."""
        bath = {"integrator": "md-vv", "tcoupl": "nose-hoover", "coulomb_modifier": "potential-shift", "nstenergy": 5}
        spread = {}
        for name in ("settle", "dlm", "no-squish"):
            arguments = bad_input.write_input(self.work / name, rigid_molecules.water(name == "settle"))
            algorithm = {"constraint_algorithm": "newton" if name == "settle" else name}
            run = holon.run(self.work / f"{name}-1", arguments, 0, nsteps=120, **bath, **algorithm)
            self.assertIn(f"{name.replace('-', '_')}: 1284 clusters", (run.folder / "md.log").read_text())
            self.assertLess(run.summary["constraint_error"]["length_max_relative"], 1e-13)
            spread[name] = numpy.ptp(trajectories.energies(run.folder / "energy.csv")["conserved"])
            self.assertLess(spread[name], 2 * spread["settle"])
            if name == "settle":
                continue
            part = holon.run(self.work / f"{name}-3", arguments, 3, nsteps=25, **bath, **algorithm)
            goes_on = holon.run(part.folder, ["--restart", part.folder / "checkpoint.h5"], 2, nsteps=120)
            self.assertEqual(goes_on.state_hash, run.state_hash)
            says = (f"constraint-algorithm = {name}", "integrator = md is not", "integrator = md-vv", "= rigid")
            words = [*arguments, "-o", self.work / "md", *holon.options({**algorithm, "integrator": "md"})]
            self.assertEqual(bad_input.refusal(words, 0, says), "")

    def test_are_refused_where_they_can_not_be(self):
        grouped = benzene("rigid-groups = System\n")
        self.refuse("other", grouped, ("rigid-groups", "constraint-algorithm = rigid"), constraint_algorithm="lincs")
        crooked = dict(grouped)
        lines = crooked["conf.gro"].splitlines()
        lines[2 + 12 * 3] = lines[2 + 12 * 3][:20] + "".join(f"{x:11.6f}" for x in (0.3, 0.3, 2.3))
        crooked["conf.gro"] = "\n".join(lines) + "\n"
        self.refuse("crooked", crooked, ("rigid-groups", "molecule 4 (BNZ)", "start from coordinates"))
        self.refuse("frozen", grouped, ("can not be in a rigid body: it is frozen",), freezegrps="System", freezedim="Y Y Y")
        outside = benzene("rigid-groups = Half\n", "[ constraints ]\n1 2 1 0.14\n")
        index = self.work / "half.ndx"
        index.write_text("[ Half ]\n" + " ".join(str(12 * m + k) for m in range(64) for k in range(2, 8)) + "\n")
        self.refuse("outside", outside, ("binds it to an atom outside",), index=index)
        index.write_text("[ Half ]\n2 3 4\n")
        self.refuse("some", outside, ("does not have the same atoms in molecule 2",), index=index)


if __name__ == "__main__":
    holon.main()
