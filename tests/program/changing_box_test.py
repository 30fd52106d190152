#!/usr/bin/env python3
"""A box that `deform` changes: energies are those of a start at that box, and a mesh that is outgrown is said."""

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


if __name__ == "__main__":
    holon.main()
