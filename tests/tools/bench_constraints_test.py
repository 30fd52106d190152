#!/usr/bin/env python3
"""holon-bench-constraints: every solver meets its tolerance on the same step, whatever the ranks."""

import csv
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import bad_input  # noqa: E402
from support import constrained_molecules  # noqa: E402
from support import holon_runner as holon  # noqa: E402

LYSOZYME = [*holon.input_files(holon.INPUTS / "lysozyme"), "--constraints", "all-bonds"]
CHAIN, WATER = "larger clusters", "rigid water"


def benchmark(arguments, ranks, status=holon.FINISHED):
    result = holon.call("holon-bench-constraints", arguments, ranks)
    if result.status != status:
        raise holon.RunError(f"exit status {result.status}: {result.stdout}{result.stderr}")
    return result


class BenchConstraints(holon.ProgramTest):
    def table(self, ranks, *options):
        """{(clusters, solver, setting, stage): row}, and what was printed."""
        file = self.work / f"{ranks}.csv"
        printed = benchmark([*LYSOZYME, "--repeats", 1, "--csv", file, *options], ranks).stdout
        with open(file) as text:
            rows = {
                tuple(row[key] for key in ("clusters", "solver", "setting", "stage")): row
                for row in csv.DictReader(text)
            }
        return rows, printed

    def test_every_solver_on_any_number_of_ranks(self):
        options = ["--tolerances", "1e-4,1e-9", "--lincs", "4/1,8/4"]
        alone, printed = self.table(1, *options)
        self.assertIn("larger clusters: positions, 1 rank\n", printed)
        for (kind, solver, setting, stage), row in alone.items():
            with self.subTest(f"{kind}: {solver} {setting}, {stage}"):
                self.assertEqual(row["failed"], "0")
                self.assertEqual(int(row["messages"]) + int(row["bytes"]) + int(row["reductions"]), 0)
                if setting == "exact":
                    self.assertLess(float(row["residual"]), 1e-13)
                elif setting == "any":
                    self.assertLess(float(row["residual"]), 0.01)
                elif "/" not in setting and setting:
                    # A rival of Newton's method stops by an estimate of what its last iteration leaves.
                    self.assertLess(float(row["residual"]), (3 if "ciccotti" in solver else 1.001) * float(setting))
        self.assertEqual(alone[CHAIN, "newton", "exact", "positions"]["n_constraints"], "1984")
        self.assertEqual(alone[WATER, "settle", "exact", "positions"]["n_clusters"], "10636")
        self.assertNotIn((CHAIN, "settle", "exact", "positions"), alone)
        for order, limit in (("4/1", 1e-3), ("8/4", 1e-6)):
            self.assertLess(float(alone[CHAIN, "lincs", order, "positions"]["residual"]), limit)
        sweeps = {
            name: int(alone[CHAIN, *name, "positions"]["iterations"])
            for name in [("shake", "1e-09"), ("newton", "exact")]
        }
        self.assertGreater(sweeps["shake", "1e-09"], 2 * sweeps["newton", "exact"])

        cut, _ = self.table(3, *options)
        self.assertEqual(list(cut), list(alone))
        for key, row in cut.items():
            for figure in ("residual", "iterations", "n_constraints", "failed"):
                self.assertEqual(row[figure], alone[key][figure], f"{key}: {figure}")
            sends = key[0] in (CHAIN, "all, as in the run")
            self.assertEqual(int(row["messages"]) > 0, sends, key)
            if key[1] in ("lincs", "newton"):
                self.assertEqual(int(row["bytes"]) > 0, sends, key)
            self.assertEqual(int(row["reductions"]) > 0, sends and row["solver"].endswith(("shake", "ccma", "lambrakos")), key)

    def test_the_step_is_that_of_a_run(self):
        """Small molecules whose first steps go far: with other atoms' forces none of them could be solved for."""
        files = constrained_molecules.files(constrained_molecules.MOLECULES["butane"])
        table = self.work / "butane.csv"
        for ranks in (1, 2):
            options = ["--solvers", "newton,shake", "--tolerances", "1e-8", "--repeats", 1, "--csv", table]
            benchmark([*bad_input.write_input(self.work / "butane", files), *options], ranks)
            with open(table) as text:
                rows = [row for row in csv.DictReader(text) if row["solver"] == "newton" and row["stage"] == "positions"]
            self.assertEqual([(row["failed"], row["iterations"]) for row in rows], [("0", "3")])

    def test_says_what_is_wrong(self):
        bad = holon.BAD_INPUT
        for options, message in {
            ("--solvers", "magic"): "Unknown constraint solver: magic",
            ("--tolerances", "1e-4,x"): "expected numbers between 0 and 1",
            ("--lincs", "4"): "expected order/iterations",
            ("--repeats", "0"): "at least 1",
            ("--solvers",): "needs a value",
            ("-o", "run"): "no output folder",
            ("--constraint", "all-bonds"): "did you mean --constraints?",
        }.items():
            self.assertIn(message, benchmark([*LYSOZYME, *options], 2, bad).stderr)
        argon = holon.input_files(holon.INPUTS / "argon")
        self.assertIn("has no constraints", benchmark(argon, 1, bad).stderr)
        self.assertIn("--tolerances", benchmark(["--help"], 1).stdout)


if __name__ == "__main__":
    holon.main()
