#!/usr/bin/env python3
"""constraint-algorithm = edberg-evans-morriss: same bits, restarts, errors with and without feedback, refusals."""

from support import bad_input
from support import constrained_molecules
from support import holon_runner as holon
from support import same_bits

ALGORITHM = {"constraint_algorithm": "edberg-evans-morriss"}


class ConstrainedAccelerations(holon.ProgramTest):
    def arguments(self, name="octane"):
        files = constrained_molecules.files(constrained_molecules.MOLECULES[name])
        return bad_input.write_input(self.work / name, files)

    def test_same_bits_on_any_number_of_ranks_and_after_a_restart(self):
        arguments = self.arguments()
        found = same_bits.hashes(self.work, arguments, [(1, None), (3, None)], nsteps=20, **ALGORITHM)
        self.assertEqual(found["1"], found["3"])
        again = same_bits.split_run(self.work / "split", arguments, 20, **ALGORITHM)
        self.assertEqual(again.state_hash, found["1"])

    def test_feedback_keeps_errors_small(self):
        arguments = self.arguments("butane")
        errors = {}
        for steps in (0, 10):
            run = holon.run(self.work / f"{steps}", arguments, 1, nsteps=1000, feedback_steps=steps, **ALGORITHM)
            errors[steps] = run.summary["constraint_error"]["length_max_relative"]
        self.assertLess(errors[10], 0.1 * errors[0])
        self.assertLess(errors[10], 1e-3)

    def test_what_it_can_not_do_is_refused_by_name(self):
        arguments = self.arguments()
        groups = {"tcoupl": "v-rescale", "tc_grps": "Ends Rest", "tau_t": "1 1", "ref_t": "300 300"}
        index = self.work / "index.ndx"
        atoms = range(1, 8 * constrained_molecules.CELLS**3 + 1)
        ends, rest = ([str(a) for a in atoms if (a % 8 == 1) == end] for end in (True, False))
        index.write_text(f"[ Ends ]\n{' '.join(ends)}\n[ Rest ]\n{' '.join(rest)}\n")
        for name, settings, says in (
            ("leap-frog", {"integrator": "md"}, ("integrator = md is not", "integrator = md-vv")),
            ("langevin", {"integrator": "baoab", "tc_grps": "System", "tau_t": 1, "ref_t": 300}, ("baoab", "md-vv")),
            ("groups", {**groups, "n": index}, ("tc-grps", "whole molecules")),
        ):
            with self.subTest(name):
                words = [*arguments, "-o", self.work / name, *holon.options({**ALGORITHM, **settings})]
                words = ["-n" if word == "--n" else word for word in words]
                self.assertEqual(bad_input.refusal(words, 1, ("edberg-evans-morriss", *says)), "")


if __name__ == "__main__":
    holon.main()
