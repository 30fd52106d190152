#!/usr/bin/env python3
"""Boxes that change: energies are those of a start at that box, a mesh that is outgrown is said, and what is frozen at a
face stays where it is, whenever the face passes it."""

from support import holon_runner as holon

WATER = holon.input_files(holon.INPUTS / "spce")
MESH = {"coulombtype": "PME", "rcoulomb": 0.9, "rvdw": 0.9, "integrator": "md-vv", "tcoupl": "no"}
STEPS = 20


class ChangingBox(holon.ProgramTest):
    def rates(self, growth):
        """Of a(x) and c(x), so that the box is longer by this part after all steps, and leans."""
        length = float((holon.INPUTS / "spce" / "conf.gro").read_text().split()[-1])
        rate = growth * length / (STEPS * 0.002)
        return f"{rate} 0 0 0 {rate} 0"

    def run_with(self, growth, **settings):
        return holon.run(self.work / "run", WATER, 2, nsteps=STEPS, deform=self.rates(growth), **MESH, **settings)

    def test_energies_are_those_of_a_start_at_that_box(self):
        changed = self.run_with(0.02)
        restart = ["--restart", changed.folder / "checkpoint.h5"]
        started = holon.run(self.work / "start", restart, 1, nsteps=STEPS)
        energies = (changed.summary["final"]["energies_kJ_per_mol"], started.summary["final"]["energies_kJ_per_mol"])
        self.assertEqual(*energies)
        self.assertNotIn("Warning", (changed.folder / "md.log").read_text())

    def test_a_mesh_that_is_outgrown_is_said_once(self):
        run = self.run_with(0.05, mesh="spme")
        warnings = [line for line in (run.folder / "md.log").read_text().splitlines() if line.startswith("Warning")]
        self.assertEqual(len(warnings), 1)
        self.assertIn("The box has grown by 3.", warnings[0])

    def test_what_is_frozen_stays_where_it_is_as_faces_pass_it(self):
        """Which image of it is kept changes only when atoms are given to domains anew: with the skin."""
        lines = (holon.INPUTS / "argon" / "conf.gro").read_text().splitlines()
        x = [float(line[20:28]) + 0.12 for line in lines[2:-1]]
        atoms = [f"{line[:20]}{at:8.3f}{line[28:]}" for line, at in zip(lines[2:-1], x)]
        (self.work / "conf.gro").write_text("\n".join([*lines[:2], *atoms, lines[-1]]) + "\n")
        at_face = sorted(range(len(x)), key=x.__getitem__)[-60:]
        (self.work / "g.ndx").write_text("[ Face ]\n" + "\n".join(str(i + 1) for i in at_face) + "\n")
        words = [*holon.input_files(holon.INPUTS / "argon"), "-n", self.work / "g.ndx"]
        words[3] = self.work / "conf.gro"
        squeeze = {"pcoupl": "Berendsen", "tau_p": 0.1, "nstpcouple": 1, "compressibility": 2e-4, "ref_p": 3000}
        frozen = {"freezegrps": "Face", "freezedim": "Y Y Y", "comm_mode": "none", "nsteps": 150}
        runs = [
            holon.run(self.work / f"{ranks} {skin}", words, ranks, skin=skin, **squeeze, **frozen)
            for ranks, skin in ((1, 0.03), (3, 0.2))
        ]
        self.assertEqual(runs[0].state_hash, runs[1].state_hash)
        box = float((runs[0].folder / "confout.gro").read_text().split()[-3])
        self.assertLess(box, max(x) - 0.01)


if __name__ == "__main__":
    holon.main()
