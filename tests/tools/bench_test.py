#!/usr/bin/env python3
"""tools/bench runs Holon and GROMACS in turns and writes tables, figures and a plot."""

import json
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402

sys.path.insert(0, str(holon.ROOT / "tools" / "bench.d"))
import plot  # noqa: E402

TOOL = holon.ROOT / "tools" / "bench"
# Distributions build those with ranks for Open MPI, and another launcher starts each rank as a run of its own.
BUILDS = ("gmx_mpi", "gmx", "gmx_mpi_d") if holon.launcher_name() == "Open MPI" else ("gmx",)


class Bench(holon.ProgramTest):
    def bench(self, *words):
        words = [sys.executable, TOOL, *words, "--rounds", "1", "--seconds", "0.02", "--json", self.work / "bench.json"]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, json.loads((self.work / "bench.json").read_text())

    def test_a_folder_in_turns_with_gromacs(self):
        beside = shutil.which("gmx_mpi") and "gmx_mpi" in BUILDS
        more = [] if beside else ["--no-gromacs"]
        text, found = self.bench(holon.INPUTS / "spce", "--plot", self.work / "speed.svg", *more)
        (result,) = found["results"]
        self.assertEqual((result["atoms"], result["ranks"]), (3852, 2))
        for figure in ("ns_per_day", "cpu_us_per_atom_step", "cycles_per_pair", "kB_per_atom"):
            self.assertGreater(result[figure], 0.0, figure)
        self.assertLessEqual(sum(result["stages"].values()), 1.01)
        self.assertIn("| spce | 3852 | 2 |", text)
        self.assertLess(result["force_error"], 2e-5)
        xml.etree.ElementTree.parse(self.work / "speed.svg")
        if beside:
            self.assertAlmostEqual(result["ratio"], result["ns_per_day"] / result["gromacs_ns_per_day"], places=9)
            self.assertLess(result["gromacs_force_error"], 1e-4)
        else:
            self.assertIsNone(result["ratio"])

    def test_water_with_a_mesh_and_other_settings(self):
        text, found = self.bench("--water", "4k", "--no-gromacs", "--ranks", "1", "--set", "mesh-accuracy=1e-3")
        (result,) = found["results"]
        self.assertLess(result["mesh_error"], 1e-3)
        self.assertIsNone(result["gromacs_ns_per_day"])
        self.assertIn("% of the wall time", text)

    def test_several_builds_of_gromacs_and_standard_cases(self):
        builds = [program for program in BUILDS if shutil.which(program)]
        words = ["--gmx", *builds] if builds else ["--no-gromacs"]
        text, found = self.bench(holon.INPUTS / "spce", *words, "--cases", "double", "one-rank")
        names = [result["system"] for result in found["results"]]
        self.assertEqual(names, ["spce", "spce-double", "spce-one-rank"])
        self.assertEqual([result["ranks"] for result in found["results"]], [2, 2, 1])
        for result in found["results"]:
            double = result["system"] == "spce-double"
            programs = [pathlib.Path(other["program"]).name for other in result["gromacs"]]
            self.assertEqual(programs, [name for name in builds if name.endswith("_d") == double])
            for other in result["gromacs"]:
                self.assertAlmostEqual(other["ratio"], result["ns_per_day"] / other["ns_per_day"], places=9)
                self.assertIn(f"| {result['system']} | {result['ranks']} | {other['name']} |", text)

    def test_a_build_that_is_none_is_refused(self):
        for path, what in ((self.work / "gmx", "can not be run"), (sys.executable, "not a program of GROMACS")):
            words = [sys.executable, TOOL, holon.INPUTS / "spce", "--gmx", path]
            done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(what, done.stderr)

    def test_the_plot_of_costs_is_a_picture(self):
        costs = [{"atoms": 3852, "cpu_us_per_atom_step": 0.9}, {"atoms": 1109376, "cpu_us_per_atom_step": 1.0}]
        picture = xml.etree.ElementTree.fromstring(plot.cost_by_size(costs))
        self.assertEqual(sum(item.tag.endswith("circle") for item in picture.iter()), 2)

    def test_nothing_to_run_is_refused(self):
        done = subprocess.run([sys.executable, TOOL], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("name input folders", done.stderr)


if __name__ == "__main__":
    holon.main()
