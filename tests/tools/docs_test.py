#!/usr/bin/env python3
"""What docs/checkpoint.md says of the file is so: its Python code runs, and its tables name all that there is."""

import os
import pathlib
import re
import subprocess
import sys

import h5py
import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402
from support import systems  # noqa: E402

DOCS = (holon.ROOT / "docs" / "checkpoint.md").read_text()
WATER = holon.input_files(holon.INPUTS / "spce")


class Docs(holon.ProgramTest):
    def setUp(self):
        super().setUp()
        self.folder = holon.run(self.work / "run", WATER, 3, nsteps=7).folder

    def test_the_python_code_reads_the_last_state(self):
        (code,) = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.work)
        names = {}
        exec(code, names)
        _, _, positions, velocities, box = systems.read_gro(self.folder / "confout.gro")
        self.assertEqual(names["commits"][0]["step"], 7)
        numpy.testing.assert_allclose(names["positions"], positions, rtol=0, atol=1e-14)
        numpy.testing.assert_allclose(names["velocities"], velocities, rtol=0, atol=1e-13)
        numpy.testing.assert_allclose(names["commits"][0]["box"], box, rtol=0, atol=1e-14)

    def test_every_object_and_field_is_named(self):
        with h5py.File(self.folder / "checkpoint.h5") as file:
            names = set(file.attrs)
            objects = []
            file.visit(objects.append)
            for path in objects:
                names.add(re.sub(r"slots/\d+", "slots/K", path))
            self.assertEqual(file.attrs["format"], 4)
            for part in ("identity", "commits"):
                names |= set(file["slots/0"][part].dtype.names)
        for name in names - {"input", "slots", "slots/K"}:
            with self.subTest(name):
                self.assertIn(f"`{name}`", DOCS)

    def test_the_commands_work(self):
        for line in re.findall(r"^(holon-inspect .*?)(?:   .*)?$", DOCS, re.MULTILINE):
            with self.subTest(line):
                line = line.replace("--slot 4", "--slot 2").replace("998,1000", "5,7").replace("998", "6")
                line = re.sub(r"\b(run|a|b)/checkpoint", f"{self.folder}/checkpoint", line)
                done = subprocess.run(
                    [str(holon.BIN / "holon-inspect"), *line.split()[1:]], capture_output=True, text=True, cwd=self.work
                )
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertTrue(done.stdout)
        self.assertTrue((self.work / "state.gro").exists())
        self.assertTrue((self.work / "other" / "checkpoint.h5").exists())


if __name__ == "__main__":
    holon.main()
