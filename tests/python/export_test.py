#!/usr/bin/env python3
"""holon-export: what comes out, read by MDAnalysis and, where it is there, GROMACS, is what the run wrote."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

try:
    import h5py
    import numpy
except ImportError:
    sys.exit(77)

from run_folders import PACKAGE, WATER, runner, write_run
import holon
from holon.export import Choice, export
from holon.whole import bond_levels

try:
    MDAnalysis = holon.universe.load_mdanalysis()
except holon.HolonError:
    MDAnalysis = None

# Absolute errors of coordinates in A: .xtc has 0.001 nm, .pdb and .gro have 3 decimals.
DIGITS = {"xtc": 5.1e-3, "trr": 1e-5, "dcd": 1e-5, "pdb": 5.1e-4, "gro": 5.1e-3}


def call(*arguments, **how):
    command = [sys.executable, "-m", "holon.export", *map(str, arguments)]
    environment = {"PYTHONPATH": str(PACKAGE), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, **how)


class Export(runner.ProgramTest):
    """Exports of a run of water of 40 steps, a frame with velocities every 4 of them."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="holon-test-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name) / "run"
        cls.run_ = holon.run(*WATER, cls.folder, nsteps=40, nstenergy=2, nstxout=4, nstvout=4)
        with h5py.File(cls.folder / "trajectory.h5md") as file:
            particles = file["particles/trajectory"]
            cls.positions = 10 * particles["position/value"][()]  # A
            cls.velocities = 10 * particles["velocity/value"][()]
            cls.times = particles["position/time"][()]

    @unittest.skipIf(MDAnalysis is None, "without MDAnalysis")
    def test_frames_are_those_of_the_run(self):
        choice = Choice(begin_ps=0.016, stride=2, selection="name OW")
        frames, oxygens = [2, 4, 6, 8, 10], slice(None, None, 3)
        for kind in ("xtc", "trr", "dcd", "pdb"):
            with self.subTest(kind):
                path = self.work / f"x.{kind}"
                self.assertEqual(export(self.run_, path, choice), 5)
                universe = MDAnalysis.Universe.empty(1284, trajectory=True).load_new(str(path))
                self.assertEqual(len(universe.trajectory), 5)
                for frame, written in zip(frames, universe.trajectory):
                    expected = self.positions[frame, oxygens]
                    numpy.testing.assert_allclose(written.positions, expected, rtol=0, atol=DIGITS[kind])
                    if kind != "pdb":  # which has one box, in its head
                        numpy.testing.assert_allclose(written.dimensions, [34, 34, 34, 90, 90, 90], atol=1e-2)
                    if kind in ("xtc", "trr"):
                        self.assertAlmostEqual(written.time, self.times[frame], places=5)
                    if kind == "trr":
                        velocities = self.velocities[frame, oxygens]
                        numpy.testing.assert_allclose(written.velocities, velocities, rtol=1e-5, atol=1e-5)

    @unittest.skipIf(MDAnalysis is None, "without MDAnalysis")
    def test_structures(self):
        export(self.run_, self.work / "box.pdb", Choice(stride=5))
        self.assertIn("CRYST1   34.000   34.000   34.000  90.00", (self.work / "box.pdb").read_text())
        path = self.work / "last.gro"
        self.assertEqual(export(self.run_, path), 1)
        universe = MDAnalysis.Universe(str(path))
        numpy.testing.assert_allclose(universe.atoms.positions, self.positions[-1], rtol=0, atol=DIGITS["gro"])
        self.assertEqual(list(universe.atoms.names[:3]), ["OW", "HW1", "HW2"])
        self.assertEqual(list(universe.residues.resnames[:2]), ["SOL", "SOL"])
        state = self.work / "state.gro"
        self.assertEqual(export(self.run_, state, source="checkpoint"), 1)
        universe = MDAnalysis.Universe(str(state))
        numpy.testing.assert_allclose(universe.atoms.positions, 10 * self.run_.state().positions(), rtol=0, atol=5.1e-3)
        bonded = self.work / "x.pdb"
        export(self.run_, bonded, Choice(selection="resid 1:10", end_ps=0))
        self.assertEqual(len(MDAnalysis.Universe(str(bonded)).bonds), 20)

    @unittest.skipIf(MDAnalysis is None, "without MDAnalysis")
    def test_molecules_are_whole(self):
        lengths = {}
        for whole in (False, True):
            path = self.work / f"{whole}.trr"
            export(self.run_, path, Choice(whole=whole))
            universe = MDAnalysis.Universe.empty(3852, trajectory=True).load_new(str(path))
            x = universe.trajectory[-1].positions.reshape(-1, 3, 3)
            lengths[whole] = numpy.linalg.norm(x[:, 1:] - x[:, :1], axis=2)
            numpy.testing.assert_allclose(x[:, 0], self.positions[-1, ::3], rtol=0, atol=1e-4)
        self.assertGreater(lengths[False].max(), 20)
        numpy.testing.assert_allclose(lengths[True], 1.0, atol=1e-3)

    def test_trees_of_bonds(self):
        ring_and_chain = numpy.array([[0, 1], [1, 2], [2, 3], [3, 0], [6, 5], [6, 7], [2, 8]])
        levels = [(p.tolist(), c.tolist()) for p, c in bond_levels(9, ring_and_chain)]
        self.assertEqual(levels, [([0, 0, 5], [1, 3, 6]), ([1, 6], [2, 7]), ([2], [8])])
        self.assertEqual(bond_levels(3, numpy.empty((0, 2), int)), [])

    @unittest.skipIf(MDAnalysis is None or shutil.which("gmx") is None, "without MDAnalysis or gmx")
    def test_gromacs_reads_them(self):
        for kind in ("xtc", "trr"):
            path = self.work / f"x.{kind}"
            export(self.run_, path, Choice(stride=5))
            told = subprocess.run(["gmx", "dump", "-f", path], capture_output=True, text=True).stdout
            steps = [int(step) for step in re.findall(r"step=\s*(\d+)", told)]
            self.assertEqual(steps, [0, 20, 40])

    @unittest.skipIf(MDAnalysis is None or shutil.which("pymol") is None, "without MDAnalysis or PyMOL")
    def test_pymol_opens_them(self):
        export(self.run_, self.work / "x.gro")
        export(self.run_, self.work / "x.xtc")
        script = "load x.gro, w; load_traj x.xtc, w, state=1; print(cmd.count_atoms('w'), cmd.count_states('w'))"
        debian = {**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}"}  # pymol calls python3
        done = subprocess.run(["pymol", "-cq", "-d", script], capture_output=True, text=True, cwd=self.work, env=debian)
        self.assertIn("3852 11", done.stdout)

    def test_energies(self):
        path = self.work / "x.xvg"
        choice = Choice(begin_ps=0.008, end_ps=0.07, stride=3, columns=("potential", "temperature_K"))
        with unittest.mock.patch.object(holon.table, "PIECE", 700):  # pieces of a few rows
            self.assertEqual(export(self.run_, path, choice), 6)
        lines = path.read_text().splitlines()
        self.assertIn('@    yaxis  label "(kJ/mol), (K)"', lines)
        self.assertIn('@ s1 legend "temperature"', lines)
        self.assertIn('@    subtitle "SPC/E water"', lines)
        values = numpy.loadtxt(path, comments=["#", "@"])
        table = self.run_.table
        rows = slice(2, 18, 3)
        expected = numpy.column_stack([table[name][rows] for name in ("time_ps", "potential", "temperature_K")])
        numpy.testing.assert_allclose(values, expected, rtol=1e-9)
        self.assertEqual(export(self.run_, path), 21)
        self.assertEqual(numpy.loadtxt(path, comments=["#", "@"]).shape, (21, len(table.columns) - 1))
        with unittest.mock.patch.dict(sys.modules, {"MDAnalysis": None}):
            self.assertEqual(export(self.run_, path), 21)

    def test_the_command(self):
        path = self.work / "x.xvg"
        done = call(self.folder, "-o", path, "--columns", "lj")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{path}: 21 rows\n", ""))
        cases = [
            (["-o", path], "is there already: take another name or --overwrite"),
            (["-o", self.work / "x.txt"], "unknown format: the name has to end with .xtc"),
            (["-o", self.work / "a" / "x.xvg"], "there is no folder"),
            (["-o", self.work / "y.xvg", "--columns", "lj,colomb"], "no column 'colomb': there are lj, "),
            (["-o", self.work / "y.xvg", "-b", "7"], "no rows chosen"),
            (["-o", self.work / "y.xvg", "--stride", "0"], "stride: 0 is not 1 or more"),
        ]
        if MDAnalysis:
            cases += [
                (["-o", self.work / "y.xtc", "-s", "name XX"], "selection 'name XX': there is no such atom"),
                (["-o", self.work / "y.xtc", "-s", "nam OW"], "selection 'nam OW': "),
                (["-o", self.work / "y.xtc", "-b", "7"], "no frames chosen: there are times 0 to 0.08 ps"),
            ]
        for arguments, message in cases:
            done = call(self.folder, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertRegex(done.stderr, rf"^holon-export: error: .*{re.escape(message)}.*\n$")
        self.assertFalse(list(self.work.glob("y.*")))
        self.assertEqual(call(self.folder, "-o", path, "--overwrite").returncode, 0)

    @unittest.skipIf(MDAnalysis is None, "without MDAnalysis")
    def test_memory_does_not_grow_with_the_trajectory(self):
        """180 MB of frames, within 80 MB more than a short run takes."""
        long = write_run(self.work / "long", [], self.run_.table.columns)
        shutil.copy(self.folder / "trajectory.h5md", long)
        frames = 4000
        with h5py.File(long / "trajectory.h5md", "r+") as file:
            particles = file["particles/trajectory"]
            del particles["velocity"]
            series = [particles["position"], particles["box/edges"]]
            values = [group["value"][0] for group in series]
            times = {"step": numpy.arange(frames), "time": numpy.arange(frames) * 0.01}
            for group in series:
                del group["value"], group["step"], group["time"]
            for group, value in zip(series, values):
                data = group.create_dataset("value", (frames, *value.shape), value.dtype, chunks=(1, *value.shape))
                data.attrs["unit"] = "nm"
                for frame in range(frames):
                    data[frame] = value
                for name, numbers in times.items():
                    group[name] = numbers
                group["time"].attrs["unit"] = "ps"
        peaks = [self.peak_memory(folder) for folder in (self.folder, long)]
        self.assertLess(peaks[1] - peaks[0], 80e6)
        universe = MDAnalysis.Universe.empty(3852, trajectory=True).load_new(str(self.work / "x.dcd"))
        self.assertEqual(len(universe.trajectory), frames)

    def peak_memory(self, folder):
        """Of an export of all frames [bytes]."""
        code = (
            "import resource, sys; from holon.export import main; main(sys.argv[1:]);"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        command = [sys.executable, "-c", code, str(folder), "-o", str(self.work / "x.dcd"), "--overwrite"]
        done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(PACKAGE)})
        self.assertIn("frames", done.stdout, done.stderr)
        return 1024 * int(done.stdout.split()[-1])


if __name__ == "__main__":
    runner.main()
