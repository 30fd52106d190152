#!/usr/bin/env python3
"""What docs/coming-from-*.md, docs/installation.md and docs/benchmarks.md name is there; their commands work."""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402

DOCS = holon.ROOT / "docs"
NAMES = ("coming-from-gromacs", "coming-from-lammps-openmm", "installation", "benchmarks", "tutorial")
PAGES = {name: (DOCS / f"{name}.md").read_text() for name in NAMES}
PLACES = re.compile(r"`((?:docs|tools|jobscripts|inputs|python)/[\w./-]+)`")


def normal(key):
    return key.lower().replace("_", "-")


class Pages(holon.ProgramTest):
    def test_files_that_are_named_are_there(self):
        for name, text in PAGES.items():
            for place in set(PLACES.findall(text)):
                with self.subTest(f"{name}: {place}"):
                    self.assertTrue((holon.ROOT / place).exists())

    def test_keys_that_are_named_are_computed_with(self):
        keys = {normal(key) for key in re.findall(r"(?m)^(\S+) =", holon.call("holon-md", ["--keys"], 1).stdout)}
        named = set()
        for line in PAGES["coming-from-lammps-openmm"].split("## How do I say")[1].splitlines():
            if line.startswith("| `"):
                named |= set(re.findall(r"`([\w-]+) = ", line.split(" | ")[2]))
        self.assertGreater(len(named), 15)
        self.assertEqual({key for key in named if normal(key) not in keys}, set())
        for key in ("maxh", "domains", "dlb", "nsteps", "checkpoint-interval", "checkpoint-sync", "mesh", "skin"):
            self.assertIn(key, keys)

    def test_settings_that_are_named_are_accepted(self):
        rows = PAGES["coming-from-lammps-openmm"].split("## How do I say")[1]
        argon = holon.input_files(holon.INPUTS / "argon")
        for integrator in ("steep", "cg", "l-bfgs", "md-vv", "md", "baoab", "sd"):
            self.assertIn(f"`{integrator}`" if integrator not in ("steep", "md-vv", "baoab") else f"= {integrator}`", rows)
            settings = {"integrator": integrator, "tcoupl": "no", "nsteps": 1, "tc_grps": "System", "tau_t": 1, "ref_t": 300}
            holon.run(self.work / integrator, argon, 1, **settings)

    def test_commands(self):
        for name in ("md.mdp", "conf.gro", "topol.top"):
            shutil.copy(holon.INPUTS / "argon" / name, self.work)
        (self.work / "index.ndx").write_text("[ Some ]\n1 2 3\n")
        blocks = [block for text in PAGES.values() for block in re.findall(r"```bash check\n(.*?)```", text, re.DOTALL)]
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            words = block.split()
            self.assertEqual(words[:4], ["mpirun", "-n", "2", "holon-md"])
            words = holon.command_line("holon-md", words[4:], 2)
            if "--nsteps" not in words:
                words += ["--nsteps", "5"]
            done = subprocess.run(words, cwd=self.work, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.work / "single-point" / "summary.json").exists())

    def test_options_of_the_benchmark(self):
        said = subprocess.run([sys.executable, holon.ROOT / "tools" / "bench", "--help"], capture_output=True, text=True)
        if said.returncode != 0:
            self.skipTest("without numpy and h5py")
        for option in re.findall(r"(?m)^tools/bench.*", PAGES["benchmarks"]):
            for name in re.findall(r"--[\w-]+", option):
                self.assertIn(name, said.stdout)


if __name__ == "__main__":
    holon.main()
