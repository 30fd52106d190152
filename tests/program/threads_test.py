#!/usr/bin/env python3
"""Short runs end in the same bits on any number of threads per rank (OMP_NUM_THREADS), which is one by default."""

import os
from unittest import mock

from support import holon_runner as holon

LAYOUTS = [(1, None), (1, 2), (1, 3), (2, 2)]  # ranks, threads; None: OMP_NUM_THREADS is not set


def environment(threads):
    """For `with`: OMP_NUM_THREADS as asked for, whatever it was before."""
    others = {key: value for key, value in os.environ.items() if not key.startswith("OMP_")}
    return mock.patch.dict(
        os.environ, others | ({} if threads is None else {"OMP_NUM_THREADS": str(threads)}), clear=True
    )


class Threads(holon.ProgramTest):
    def check(self, name, **settings):
        found = {}
        for ranks, threads in LAYOUTS:
            with environment(threads):
                folder = self.work / f"{ranks}-{threads}"
                summary = holon.run(folder, holon.input_files(holon.INPUTS / name), ranks, **settings).summary
            self.assertEqual(summary["threads_per_rank"], threads or 1)
            found[ranks, threads] = summary["state_hash"]
        self.assertEqual(len(set(found.values())), 1, found)

    def test_water(self):
        self.check("spce", nsteps=20, coulombtype="PME")

    def test_water_in_double(self):
        self.check("spce", nsteps=10, integrator="md-vv", precision="double")

    def test_protein(self):
        self.check("lysozyme", nsteps=10, coulombtype="PME", integrator="sd", tau_t=1)

    def test_protein_with_all_bonds_rigid(self):
        self.check("lysozyme", nsteps=5, constraints="all-bonds", constraint_algorithm="shake")

    def test_what_is_no_number_of_threads_is_refused(self):
        for text in ("0", "two", "2x", "-1"):
            with environment(text):
                arguments = [*holon.input_files(holon.INPUTS / "argon"), "-o", self.work / "none"]
                result = holon.call("holon-md", arguments, ranks=2)
            self.assertEqual(result.status, holon.BAD_INPUT)
            self.assertIn("OMP_NUM_THREADS", result.stderr)


if __name__ == "__main__":
    holon.main()
