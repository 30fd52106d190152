#!/usr/bin/env python3
"""Rigid units that constraints link: octane and biphenyl, by distances and by group; any ranks; refused with a reason."""

from support import bad_input
from support import holon_runner as holon
from support import linked_molecules
from support import systems

OCTANE, BIPHENYL = linked_molecules.octane(), linked_molecules.biphenyl()


class LinkedUnits(bad_input.RefusalTest):
    def test_of_octane_move_as_all_distances_do(self):
        files = bad_input.write_input(self.work / "octane", linked_molecules.LIQUIDS["octane"]())
        how = {"precision": "double", "nsteps": 40}
        places = {}
        for algorithm in ("newton", "qshake", "unit-newton"):
            run = holon.run(self.work / algorithm, files, 2, constraint_algorithm=algorithm, shake_tol=1e-14, **how)
            self.assertEqual(holon.ndof(run.summary), (26 * 3 - 37) * 27 - 3)
            self.assertEqual(run.summary["constraints"], 37 * 27)
            self.assertLess(run.summary["constraint_error"]["length_max_relative"], 1e-13)
            places[algorithm] = systems.read_gro(run.folder / "confout.gro")[2]
            energies = run.summary["initial"]["energies_kJ_per_mol"], run.summary["final"]["energies_kJ_per_mol"]
            self.assertLess(abs(energies[1]["conserved"] - energies[0]["conserved"]), 0.01 * energies[0]["kinetic"])
            if algorithm == "newton":
                virial = run.summary["final"]["virial_kJ_per_mol"]
                continue
            self.assertIn(f"{algorithm.replace('-', '_')}: 27 clusters", (run.folder / "md.log").read_text())
            self.assertLess(abs(places[algorithm] - places["newton"]).max(), 1e-6)  # lengths in files are rounded
            for row, expected in zip(run.summary["final"]["virial_kJ_per_mol"], virial):
                for value, other in zip(row, expected):
                    self.assertLess(abs(value - other), 1e-3 * (1 + abs(other)))

    def test_in_planes_are_the_same_on_any_number_of_ranks_and_after_a_restart(self):
        """Biphenyl by its distances, and by group, which domains cut."""
        index = self.work / "rings.ndx"
        atoms = [(m, ring, 11 * ring + a) for m in range(27) for ring in (0, 1) for a in range(11)]
        groups = [[22 * m + a + 1 for m, ring, a in atoms if ring == which] for which in (0, 1)]
        index.write_text("".join(f"[ R{k} ]\n{' '.join(map(str, group))}\n" for k, group in enumerate(groups)))
        for name, within in (("distances", True), ("groups", False)):
            text = linked_molecules.files("BPH", BIPHENYL, 3, 1.15, within=within)
            if not within:
                text["md.mdp"] += "rigid-groups = R0 R1\n"
            files = [*bad_input.write_input(self.work / name, text), "-n", index]
            for algorithm in ("qshake", "unit-newton"):
                how = {"constraint_algorithm": algorithm, "shake_tol": 1e-10}
                whole = holon.run(self.work / f"{name}-{algorithm}", files, 1, nsteps=30, **how)
                self.assertEqual(holon.ndof(whole.summary), 11 * 27 - 3)
                self.assertLess(whole.summary["constraint_error"]["length_max_relative"], 2e-10)
                other = holon.run(self.work / f"{name}-{algorithm}-8", files, 8, nsteps=15, **how)
                goes_on = holon.run(other.folder, ["--restart", other.folder / "checkpoint.h5"], 3, nsteps=30)
                self.assertEqual(goes_on.state_hash, whole.state_hash, (name, algorithm))

    def test_move_under_pressure_coupling_and_noise(self):
        files = bad_input.write_input(self.work / "octane", linked_molecules.LIQUIDS["octane"]())
        coupled = {"tc_grps": "System", "tau_t": 0.5, "ref_t": 250, "ld_seed": 3, "constraint_algorithm": "unit-newton"}
        pressure = {"tcoupl": "v-rescale", "pcoupl": "C-rescale", "tau_p": 1, "ref_p": 1, "compressibility": 1e-4}
        for name, how in (("npt", pressure), ("sd", {"integrator": "sd"})):
            runs = [holon.run(self.work / f"{name}-{n}", files, n, nsteps=20, **coupled, **how) for n in (1, 3)]
            self.assertEqual(runs[0].state_hash, runs[1].state_hash, name)
            self.assertLess(runs[0].summary["constraint_error"]["length_max_relative"], 1e-13)

    def test_are_refused_where_they_can_not_be(self):
        octane = linked_molecules.LIQUIDS["octane"]()
        atoms, units, links = OCTANE
        seven = [(units[0][a], units[1][b]) for a, b in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 2), (3, 2))]
        dependent = linked_molecules.files("OCT", (atoms, units, seven + links[1:]), 3, 1.3)
        for algorithm in ("qshake", "unit-newton"):
            how = {"constraint_algorithm": algorithm}
            self.refuse(f"dependent-{algorithm}", dependent, ("Molecule type OCT", "which links rigid units, follows"), **how)
            torsions = {**how, "constraints": "torsion-only"}
            self.refuse(f"torsion-{algorithm}", octane, ("constraints", "must not be torsion-only", "newton"), **torsions)
            self.refuse(f"fixman-{algorithm}", octane, ("fixman", "distances only"), fixman="yes", **how)
        grouped = dict(octane)
        grouped["md.mdp"] += "rigid-groups = Methyl\n"
        index = self.work / "methyl.ndx"
        index.write_text("[ Methyl ]\n" + " ".join(str(26 * m + k) for m in range(27) for k in range(1, 5)) + "\n")
        says = ("binds it to an atom outside", "unit-newton")
        self.refuse("rigid", grouped, says, constraint_algorithm="rigid", index=index)


if __name__ == "__main__":
    holon.main()
