#!/usr/bin/env python3
"""A run ends in the same bits with the kernels of every instruction set that the machine has, whatever the C library."""

from support import holon_runner as holon
from support import same_bits
from support.same_bits import instruction_sets

# All kernels at once: pairs, mesh, bonded terms, SETTLE, clusters of hydrogens, pair search, checksums.
LYSOZYME = holon.input_files(holon.INPUTS / "lysozyme")
SETTINGS = {"coulombtype": "PME", "constraints": "h-bonds", "nstenergy": 3, "nsteps": 6}


class InstructionSets(holon.ProgramTest):
    def check(self, ranks, **settings):
        sets = instruction_sets()
        self.assertIn("baseline", sets)
        found = {}
        for name, environment in sets.items():
            run = holon.run(self.work / name, LYSOZYME, ranks, environment=environment, **SETTINGS, **settings)
            self.assertEqual(run.summary["instruction_set"], name)
            self.assertIn(f"instruction set {name}", (run.folder / "md.log").read_text())
            found[name] = (run.state_hash, (run.folder / "energy.csv").read_text())
        self.assertEqual(len(set(found.values())), 1, found)

    def test_in_mixed_precision(self):
        self.check(2)

    def test_in_double_precision_with_velocity_verlet(self):
        self.check(1, precision="double", integrator="md-vv")

    def test_with_other_functions_of_the_c_library(self):
        # Langevin dynamics takes logarithms and cosines of every step and atom: some differ in their last bit.
        settings = {"integrator": "sd", "dt": 0.0005, "tcoupl": "no", "constraints": "none", "nsteps": 50}
        settings |= {"coulombtype": "reaction-field", "rcoulomb": 0.4, "rvdw": 0.4, "checkpoint-interval": 0}
        runs = [
            holon.run(self.work / name, LYSOZYME, 1, environment=environment, **settings)
            for name, environment in (("as it is", {}), ("without", same_bits.OLD_C_LIBRARY))
        ]
        self.assertEqual(runs[0].state_hash, runs[1].state_hash)

    def test_the_best_one_is_the_default(self):
        best = list(instruction_sets())[-1]
        run = holon.run(self.work / "run", holon.input_files(holon.INPUTS / "argon"), 1, nsteps=0)
        self.assertEqual(run.summary["instruction_set"], best)

    def test_checkpoints_of_one_are_read_with_another(self):
        for name, environment in instruction_sets().items():
            run = holon.run(
                self.work / name, holon.input_files(holon.INPUTS / "argon"), 1, environment=environment, nsteps=5
            )
            for reader in instruction_sets().values():
                done = holon.call("holon-inspect", [run.folder / "checkpoint.h5"], environment=reader)
                self.assertEqual(done.status, 0, done.stdout + done.stderr)

    def test_an_unknown_one_is_refused_once(self):
        for program in ("holon-md", "holon-bench-constraints"):
            for value in ("avx2", ""):
                environment = {"HOLON_INSTRUCTION_SET": value}
                done = holon.call(program, LYSOZYME, 3, environment=environment)
                self.assertEqual(done.status, holon.BAD_INPUT)
                self.assertEqual(done.stderr.count("HOLON_INSTRUCTION_SET"), 1, done.stderr)
                self.assertIn("baseline, v3 or v4", done.stderr)
        done = holon.call("holon-inspect", ["checkpoint.h5"], environment={"HOLON_INSTRUCTION_SET": "avx2"})
        self.assertEqual(done.status, holon.BAD_INPUT)


if __name__ == "__main__":
    holon.main()
