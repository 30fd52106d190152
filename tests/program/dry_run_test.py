#!/usr/bin/env python3
"""holon-md --dry-run refuses what a run refuses, says what it will take, and writes nothing."""

import re

from support import holon_runner as holon

WATER = holon.input_files(holon.INPUTS / "spce")


def figure(text, pattern):
    """A number with its unit as a plain number."""
    number, unit = re.search(pattern + r"\s+([\d.e+]+) (\w+)", text).groups()
    return float(number) * {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]


class DryRun(holon.ProgramTest):
    def plan(self, *arguments, ranks=2, status=holon.FINISHED, **settings):
        before = self.files()
        done = holon.call("holon-md", ["--dry-run", *arguments, *holon.options(settings)], ranks)
        self.assertEqual(done.status, status, done.stderr)
        self.assertEqual(self.files(), before)
        return done

    def files(self):
        return {path: path.stat().st_mtime_ns for path in self.work.rglob("*")}

    def test_the_files_are_as_large_as_it_says(self):
        settings = {"nsteps": 2000, "nstenergy": 1, "nstxout": 40, "nstvout": 100, "nstlog": 50}
        run = self.work / "deep" / "run"
        said = self.plan(*WATER, "-o", run, **settings).stdout
        self.assertIn("Domains: 2 x 1 x 1", said)
        self.assertIn("Steps: 2000 from step 0 to 2000, 4 ps", said)
        self.assertRegex(said, r"Speed: \S+ ns/day, \S+ steps/s, measured over \d+ steps")
        self.assertRegex(said, r"Time: 0:0\d:\d\d for these steps")
        self.assertRegex(said, r"Memory: \S+ MB on the rank")
        self.assertIn("Nothing has been written", said)
        holon.run(run, WATER, 2, **settings)
        for name, share in (("checkpoint.h5", 0.4), ("trajectory.h5md", 0.1), ("energy.csv", 0.1), ("md.log", 0.3)):
            size = (run / name).stat().st_blocks * 512 if name == "trajectory.h5md" else (run / name).stat().st_size
            with self.subTest(name):
                self.assertAlmostEqual(figure(said, re.escape(name)) / size, 1.0, delta=share)

    def test_jobs_of_a_chain_and_an_endless_run(self):
        said = self.plan(*WATER, nsteps=10**9, maxh=24).stdout
        self.assertRegex(said, r"Time: \d+ days? .* for these steps, in \d+ jobs of maxh = 24 hours")
        self.assertRegex(said, r"trajectory.h5md +\S+ \SB, +\S+ \SB a day")
        said = self.plan(*WATER, nsteps=-1).stdout
        self.assertIn("without an end", said)
        self.assertNotIn("Time:", said)

    def test_a_run_that_goes_on(self):
        run = holon.run(self.work / "run", WATER, 2, nsteps=5).folder
        checkpoint = run / "checkpoint.h5"
        self.assertIn("Steps: 15 from step 5 to 20", self.plan("--restart", checkpoint, nsteps=20).stdout)
        self.assertIn("Steps: 0 from step 5 to 5", self.plan("--restart", checkpoint, ranks=1).stdout)
        resumed = self.plan(*WATER, "--resume", "-o", run, nsteps=20).stdout
        self.assertIn("Steps: 15 from step 5 to 20", resumed)
        (run / "energy.csv").write_text("step,time_ps,other\n0,0,0\n")
        self.plan("--restart", checkpoint, nsteps=20, status=holon.BAD_INPUT)

    def test_what_a_run_refuses(self):
        run = holon.run(self.work / "run", WATER, 1, nsteps=1).folder
        (self.work / "file").write_text("")
        for arguments, word in (
            ([*WATER, "-o", run], "already holds a run"),
            ([*WATER, "-o", self.work / "file" / "run"], "is no folder"),
            ([*WATER, "--dt", "fast"], "dt"),
            ([*WATER, "--rcoulomb", "9"], "box"),
            ([*WATER, "--resume"], "-o FOLDER"),
            (WATER[:4], "topology"),
            (["--restart", self.work / "none.h5"], "none.h5"),
        ):
            with self.subTest(word):
                done = self.plan(*arguments, status=holon.BAD_INPUT)
                self.assertEqual(len(holon.messages(done.stderr)), 1, done.stderr)
                self.assertIn(word, done.stderr)
        self.plan(*WATER, "-o", run, "--overwrite", nsteps=1)

    def test_a_start_that_fails(self):
        lines = (holon.INPUTS / "argon" / "conf.gro").read_text().splitlines()
        lines[3] = lines[3][:20] + lines[2][20:44] + lines[3][44:]  # the second atom where the first is
        (self.work / "conf.gro").write_text("\n".join(lines) + "\n")
        argon = holon.input_files(holon.INPUTS / "argon")
        argon[3] = self.work / "conf.gro"
        done = self.plan(*argon, nsteps=100, status=holon.FAILED)
        self.assertIn("Memory:", done.stdout)
        self.assertEqual(len(holon.messages(done.stderr)), 1, done.stderr)

    def test_a_minimisation(self):
        said = self.plan(*WATER, integrator="steep", tcoupl="no", nsteps=50).stdout
        self.assertIn("Steps: at most 50 from step 0", said)
        self.assertRegex(said, r"Speed: \S+ steps/s")

    def test_the_keys(self):
        keys = holon.call("holon-md", ["--keys"], 1)
        self.assertEqual(keys.status, holon.FINISHED)
        self.assertRegex(keys.stdout, r"(?m)^dt = 0.001$")
        self.assertRegex(keys.stdout, r"(?m)^mesh-accuracy = .*; ")
        names = re.findall(r"(?m)^(\S+) =", keys.stdout)
        self.assertGreater(len(names), 80)
        for name in ("nsteps", "rcoulomb", "tau-t", "checkpoint-interval"):
            self.assertIn(name, names)


if __name__ == "__main__":
    holon.main()
