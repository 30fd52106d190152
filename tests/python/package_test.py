#!/usr/bin/env python3
"""The Python package: what it says of a run is what the run wrote, and it starts, follows and continues runs."""

import pathlib
import shutil
import subprocess
import sys
import unittest
import unittest.mock

try:
    import h5py
    import numpy
except ImportError:
    sys.exit(77)

from run_folders import ARGON, PACKAGE, WATER, runner, write_run
import holon

try:
    import pandas
except ImportError:
    pandas = None
try:
    MDAnalysis = holon.universe.load_mdanalysis()
except holon.HolonError:
    MDAnalysis = None


class Folder(runner.ProgramTest):
    """Reads a run of water of 40 steps on two ranks, continued to step 60 on one."""

    @classmethod
    def setUpClass(cls):
        import tempfile

        holder = tempfile.TemporaryDirectory(prefix="holon-test-")
        cls.addClassCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name) / "run"
        settings = {"nsteps": 40, "nstenergy": 1, "nstxout_compressed": 10, "nstvout": 10}
        holon.run(*WATER, folder, ranks=2, pcoupl="C-rescale", ref_p=1, compressibility=4.5e-5, **settings)
        cls.run_ = holon.restart(folder, nsteps=60, nstenergy=2)
        cls.folder = folder

    def test_energies_are_those_of_the_file(self):
        lines = (self.folder / "energy.csv").read_text().splitlines()
        self.assertEqual(self.run_.table.columns, lines[0].split(","))
        self.assertEqual(self.run_.table.rows, 41 + 10)
        for name, text in zip(lines[0].split(","), lines[-1].split(",")):
            self.assertEqual(self.run_.table[name][-1], float(text), name)
            self.assertEqual(self.run_.energies[name].tolist()[-1], float(text), name)
        self.assertEqual(self.run_.table.unit("density_kg_m3"), "kg/m^3")
        self.assertEqual(self.run_.table.unit("potential"), "kJ/mol")
        with self.assertRaisesRegex(KeyError, "no column 'potentail': there are step, time_ps, lj"):
            self.run_.table["potentail"]

    @unittest.skipIf(pandas is None, "without pandas")
    def test_energies_are_a_data_frame(self):
        self.assertIsInstance(self.run_.energies, pandas.DataFrame)
        self.assertEqual(self.run_.energies["step"].dtype, "int64")

    def test_without_pandas_energies_are_a_table(self):
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            self.assertIsInstance(holon.Run(self.folder).energies, holon.Table)

    def test_statistics_are_those_of_the_program(self):
        ours, theirs = self.run_.statistics(), self.run_.summary["statistics"]["columns"]
        self.assertEqual(list(ours), list(theirs))
        for name, values in theirs.items():
            scale = abs(values["mean"]) + values["rms_fluctuation"]
            self.assertAlmostEqual(ours[name].mean, values["mean"], delta=1e-9 * scale)
            self.assertAlmostEqual(ours[name].rms_fluctuation, values["rms_fluctuation"], delta=1e-9 * scale)
            self.assertAlmostEqual(ours[name].error, values["error"], delta=1e-9 * scale)
            self.assertAlmostEqual(ours[name].drift_per_ps, values["drift_per_ps"], delta=1e-7 * scale)
        late = self.run_.statistics(begin_ps=0.1)["potential"]
        rows = self.run_.table["time_ps"] >= 0.1
        self.assertAlmostEqual(late.mean, self.run_.table["potential"][rows].mean(), places=6)
        self.assertIsNone(late.error)  # of 6 rows

    def test_parameters_and_parts(self):
        run = self.run_
        self.assertEqual(run.status, "finished")
        self.assertEqual((run.parameters["nsteps"], run.parameters["REF_P"]), ("60", "1"))
        self.assertEqual(run.parameters["compressibility"], "4.5e-05")
        jobs = [(job.ranks, job.status, job.end_step) for job in run.jobs]
        self.assertEqual(jobs, [(2, "finished", 40), (1, "finished", 60)])
        self.assertAlmostEqual(run.jobs[-1].seconds, run.summary["wall_s"], places=1)
        self.assertEqual(run.title, "SPC/E water")
        self.assertIn("SOL", run.text("topology"))
        (self.work / "log-less").mkdir()
        shutil.copy(self.folder / "checkpoint.h5", self.work / "log-less")
        self.assertEqual(holon.Run(self.work / "log-less").parameters["ref-p"], "1")

    def test_states_are_those_of_the_checkpoint(self):
        told = subprocess.run(
            [runner.BIN / "holon-inspect", self.folder / "checkpoint.h5"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        slots = {words[0]: words[1:3] for words in map(str.split, told) if len(words) == 6 and words[0].isdigit()}
        states = self.run_.states()
        self.assertEqual({str(s.slot): ["synced" if s.synced else "ring", str(s.step)] for s in states}, slots)
        newest = self.run_.state()
        self.assertEqual((newest.step, newest.ranks), (60, 1))
        self.assertAlmostEqual(newest.time_ps, 0.12)
        self.assertEqual(self.run_.state(59).step, 59)
        with self.assertRaisesRegex(holon.HolonError, "no state of step 7: there are .*60"):
            self.run_.state(7)
        lines = (self.folder / "confout.gro").read_text().splitlines()[2:-1]
        gro = numpy.array([line[20:].split() for line in lines], float)
        numpy.testing.assert_allclose(newest.positions(), gro[:, :3], rtol=0, atol=1e-14)
        numpy.testing.assert_allclose(newest.velocities(), gro[:, 3:], rtol=0, atol=1e-13)
        for state in states:
            self.assertEqual(state.positions().shape, (3852, 3))

    def test_a_state_that_was_overwritten_is_refused(self):
        folder = self.work / "run"
        shutil.copytree(self.folder, folder)
        state = holon.Run(folder).state()
        holon.restart(folder, nsteps=70)
        with self.assertRaisesRegex(holon.HolonError, "has overwritten step 60 in slot"):
            state.read()

    @unittest.skipIf(MDAnalysis is None, "without MDAnalysis")
    def test_the_universe_has_trajectory_and_topology(self):
        universe = self.run_.universe()
        times = [round(frame.time, 6) for frame in universe.trajectory]
        self.assertEqual(times, [0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12])
        self.assertEqual(list(universe.atoms[:4].names), ["OW", "HW1", "HW2", "OW"])
        self.assertEqual(list(universe.atoms[:3].elements), ["O", "H", "H"])
        self.assertEqual((universe.residues[3].resname, universe.residues[3].resid), ("SOL", 4))
        self.assertAlmostEqual(universe.atoms[0].charge, -0.8476, places=6)
        self.assertAlmostEqual(universe.atoms.total_charge(), 0, places=6)
        self.assertAlmostEqual(universe.atoms[:3].total_mass(), 18.0154, places=3)
        self.assertEqual(len(universe.bonds), 2568)
        self.assertEqual(len(universe.select_atoms("bonded index 0")), 2)
        with h5py.File(self.folder / "trajectory.h5md") as file:
            expected = file["particles/trajectory/position/value"][-1]
            velocities = file["particles/trajectory/velocity/value"][-1]
        universe.trajectory[-1]
        numpy.testing.assert_allclose(universe.atoms.positions / 10, expected, rtol=0, atol=1e-6)
        numpy.testing.assert_allclose(universe.atoms.velocities / 10, velocities, rtol=0, atol=1e-6)

    @unittest.skipIf(MDAnalysis is None, "without MDAnalysis")
    def test_a_universe_of_the_checkpoint(self):
        universe, state = self.run_.universe("checkpoint"), self.run_.state()
        numpy.testing.assert_allclose(universe.atoms.positions / 10, state.positions(), rtol=0, atol=1e-6)
        numpy.testing.assert_allclose(universe.atoms.velocities / 10, state.velocities(), rtol=0, atol=1e-6)
        numpy.testing.assert_allclose(universe.dimensions[:3] / 10, numpy.diag(state.box), rtol=1e-6)
        self.assertAlmostEqual(universe.trajectory.time, 0.12)
        with self.assertRaisesRegex(holon.HolonError, "'trajectory' or 'checkpoint', not 'energy'"):
            self.run_.universe("energy")

    def test_without_mdanalysis_there_is_a_message(self):
        with unittest.mock.patch.dict(sys.modules, {"MDAnalysis": None}):
            with self.assertRaisesRegex(holon.HolonError, "MDAnalysis is needed for trajectories: install it"):
                self.run_.universe()


class Start(runner.ProgramTest):
    def test_a_run_is_followed(self):
        seen = []
        run = holon.run(*ARGON, self.work / "run", seen.append, nsteps=3000, nstenergy=10)
        self.assertEqual(seen[-1].step, 3000)
        self.assertEqual([p.step for p in seen], sorted({p.step for p in seen}))
        self.assertEqual(seen[-1].energies["potential"], run.table["potential"][-1])

    def test_a_run_is_stopped_and_continued(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                running = holon.start(*ARGON, self.work / f"run{ranks}", ranks=ranks, nsteps=10**7, nstenergy=10)
                run = running.wait(lambda progress: running.stop())
                self.assertEqual(run.status, "stopped")
                end = run.summary["end_step"]
                self.assertGreater(end, 0)
                run = holon.restart(run, nsteps=end + 5, ranks=3 - ranks)
                self.assertEqual((run.status, run.summary["end_step"]), ("finished", end + 5))

    def test_a_run_is_stopped_at_once(self):
        for ranks in (1, 2):
            running = holon.start(*ARGON, self.work / f"run{ranks}", ranks=ranks, nsteps=10**7)
            running.stop()
            self.assertEqual(running.wait().status, "stopped")

    def test_messages_are_those_of_the_program(self):
        with self.assertRaisesRegex(holon.RunFailed, "nowhere.mdp: cannot read the parameters") as caught:
            holon.run("nowhere.mdp", *ARGON[1:], self.work / "run")
        self.assertEqual(caught.exception.status, 2)
        holon.run(*ARGON, self.work / "run", nsteps=1)
        with self.assertRaisesRegex(holon.RunFailed, "--overwrite"):
            holon.run(*ARGON, self.work / "run", nsteps=1)
        holon.run(*ARGON, self.work / "run", nsteps=2, overwrite=True)
        self.assertEqual(holon.Run(self.work / "run").summary["end_step"], 2)
        with self.assertRaisesRegex(holon.HolonError, "ranks: 0 is not"):
            holon.run(*ARGON, self.work / "other", ranks=0)


class Files(runner.ProgramTest):
    COLUMNS = ["step", "time_ps", "potential"]

    def test_what_is_no_run(self):
        with self.assertRaisesRegex(holon.HolonError, "no such folder"):
            holon.Run(self.work / "nowhere")
        with self.assertRaisesRegex(holon.HolonError, "no run: there is no energy.csv"):
            holon.Run(self.work)
        for name, attribute in [("energy.csv", "table"), ("summary.json", "summary")]:
            (self.work / name).write_text("something else\n")
            with self.assertRaisesRegex(holon.HolonError, name):
                getattr(holon.Run(self.work), attribute)
        (self.work / "checkpoint.h5").write_text("something else\n")
        with self.assertRaisesRegex(holon.HolonError, "checkpoint.h5: cannot read the checkpoint"):
            holon.Run(self.work).states()

    def test_a_row_that_is_being_written_is_left_out(self):
        folder = write_run(self.work / "run", [[0, 0.0, 1.0], [1, 0.1, 2.0]], self.COLUMNS)
        with open(folder / "energy.csv", "a") as file:
            file.write("2,0.2,3")
        run = holon.Run(folder)
        self.assertEqual(run.table["potential"].tolist(), [1.0, 2.0])
        self.assertEqual(run.status, "unfinished")
        with open(folder / "energy.csv", "a") as file:
            file.write(".5\n")
        run.reload()
        self.assertEqual(run.table["potential"].tolist(), [1.0, 2.0, 3.5])

    def test_bad_rows_are_refused(self):
        for row, message in [("2,0.2\n", "energies"), ("2,0.2,x\n", "'2,0.2,x'"), ("2,0.2,1,1\n", "energies")]:
            folder = write_run(self.work / "run", [[0, 0.0, 1.0], [1, 0.1, 2.0]], self.COLUMNS)
            with open(folder / "energy.csv", "a") as file:
                file.write(row)
            with self.subTest(row), self.assertRaisesRegex(holon.HolonError, f"energy.csv: .*{message}"):
                holon.Run(folder).table

    def test_pieces_of_a_long_file_make_one_table(self):
        rows = [[k, 0.1 * k, k * k / 7] for k in range(1000)]
        folder = write_run(self.work / "run", rows, self.COLUMNS)
        with unittest.mock.patch.object(holon.table, "PIECE", 100):
            self.assertEqual(holon.Run(folder).table.values_by_row.tolist(), rows)
        empty = holon.Run(write_run(self.work / "empty", [], self.COLUMNS))
        self.assertEqual((empty.table.rows, empty.table.columns), (0, self.COLUMNS))

    def test_the_error_of_a_correlated_series(self):
        """x_k = a x_(k-1) + noise: the variance of the mean is (1 + a) / (1 - a) times that of independent values."""
        noise = numpy.random.default_rng(3).normal(size=200_000)
        x, a = numpy.zeros(len(noise)), 0.9
        for k in range(1, len(x)):
            x[k] = a * x[k - 1] + noise[k]
        expected = 1 / (1 - a) / len(x) ** 0.5
        found = holon.series_statistics(numpy.arange(len(x)) * 1.0, x)
        self.assertGreater(found.error, 0.8 * expected)
        self.assertLess(found.error, 1.7 * expected)
        self.assertAlmostEqual(found.rms_fluctuation, (1 / (1 - a * a)) ** 0.5, places=1)
        self.assertAlmostEqual(holon.series_statistics(numpy.arange(100.0), 3.0 * numpy.arange(100)).drift_per_ps, 3.0)


class Package(unittest.TestCase):
    def test_version(self):
        self.assertIn(f"project(holon VERSION {holon.__version__} ", (PACKAGE.parent / "CMakeLists.txt").read_text())

    @unittest.skipIf(shutil.which("mypy") is None, "without mypy")
    def test_types(self):
        done = subprocess.run(["mypy", "--cache-dir=/dev/null"], cwd=PACKAGE, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    runner.main()
