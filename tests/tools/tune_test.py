#!/usr/bin/env python3
"""tools/tune finds the fastest of layouts whose speeds are known but for noise, and tunes a real run."""

import json
import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402

sys.path.insert(0, str(holon.ROOT / "tools" / "tune.d"))
import search  # noqa: E402

TOOL = holon.ROOT / "tools" / "tune"


class Tune(holon.ProgramTest):
    def test_candidates_fill_the_cores_and_leave_out_thin_slabs(self):
        layouts = search.candidates(8, [6.0, 6.0, 6.0])
        self.assertEqual({(layout.ranks, layout.threads) for layout in layouts}, {(1, 8), (2, 4), (4, 2), (8, 1)})
        self.assertIn((2, 2, 2), {layout.domains for layout in layouts})
        many = search.candidates(64, [6.0, 6.0, 12.0], ranks=[64])
        self.assertEqual(len(many), 10)
        self.assertIn((4, 4, 4), {layout.domains for layout in many})
        self.assertNotIn((1, 1, 64), {layout.domains for layout in many})
        self.assertEqual(len(search.all_of(4, None)), 1 + 3 + 6)

    def test_the_fastest_is_found_though_runs_are_noisy(self):
        layouts = search.candidates(16, [6.0, 7.0, 8.0])
        for seed in range(20):
            noise = random.Random(seed)
            true = {layout: 10.0 + 0.3 * k for k, layout in enumerate(noise.sample(layouts, len(layouts)))}
            steps_taken = []

            def run(layout, steps):
                steps_taken.append(steps)
                if layout.domains == (1, 1, 16):
                    return None
                return true[layout] * (1.0 + noise.uniform(-0.03, 0.03) * (20 / steps) ** 0.5)

            best, speeds = search.fastest(layouts, run, 20, rounds=4, finals=2)
            possible = max(speed for layout, speed in true.items() if speeds[layout])
            self.assertGreater(true[best], 0.98 * possible)
            self.assertLess(steps_taken.count(160) / 3, len(layouts) / 4)  # most were left out before

    def test_long_runs_say_more_than_short_ones(self):
        layouts = search.candidates(2, [6.0, 6.0, 6.0], ranks=[2])
        steps_of_liars = 80

        def run(layout, steps):  # the slower of two looks faster as long as runs are short
            slower = layout == layouts[0]
            return 10.5 if slower and steps < steps_of_liars else 9.8 if slower else 10.0

        best, speeds = search.fastest(layouts[:2], run, 20, rounds=4, finals=0)
        self.assertEqual(best, layouts[1])
        self.assertEqual([len(found) for found in speeds.values()], [4, 4])

    def test_the_mesh_may_be_on_fewer_ranks(self):
        layout = search.Layout(6, 1, (3, 2, 1))
        self.assertEqual([fewer.mesh_ranks for fewer in layout.with_fewer_mesh_ranks], [3, 1])
        self.assertEqual(layout.keys, {"domains": "3x2x1", "mesh_ranks": 0})
        self.assertEqual(layout.with_fewer_mesh_ranks[0].keys, {"domains": "3x2x1", "mesh_ranks": 3})
        self.assertEqual(search.Layout(1, 8, (1, 1, 1)).with_fewer_mesh_ranks, [])

    def test_the_mesh_is_on_fewer_ranks_where_that_is_clearly_faster(self):
        layout = search.Layout(8, 1, (2, 2, 2))
        for gain, expected in ((1.015, 0), (1.05, 2)):
            speed = {0: 50.0, 4: 49.0, 2: 50.0 * gain, 1: 30.0}
            best, speeds = search.with_fewer_mesh_ranks(layout, lambda found, steps: speed[found.mesh_ranks], 20, 3)
            self.assertEqual(best.mesh_ranks, expected)
            self.assertEqual(len(speeds), 4)
        best, _ = search.with_fewer_mesh_ranks(layout, lambda found, steps: None, 20, 3)
        self.assertEqual(best, layout)

    def test_short_runs_do_not_outvote_long_ones(self):
        layout = search.Layout(2, 1, (2, 1, 1))

        def run(found, steps):
            return 10.5 if found.mesh_ranks == 1 and steps < 160 else 10.0

        best, _ = search.with_fewer_mesh_ranks(layout, run, 20, rounds=5, finals=0)
        self.assertEqual(best, layout)

    def test_where_nothing_runs_nothing_is_found(self):
        layouts = search.candidates(2, [1.0, 1.0, 1.0])
        best, speeds = search.fastest(layouts, lambda layout, steps: None, 10)
        self.assertIsNone(best)
        self.assertFalse(any(speeds.values()))

    def test_a_run_is_tuned_and_its_keys_are_written(self):
        tuned, figures = self.work / "tuned.mdp", self.work / "tuned.json"
        words = [sys.executable, TOOL, holon.INPUTS / "argon", "--cores", 2, "--rounds", 2, "--seconds", 0.05]
        words += ["--set", "dlb=no", "--output", tuned, "--json", figures]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = json.loads(figures.read_text())
        self.assertIn("fastest: ", done.stdout)
        self.assertIn(found["command"], done.stdout)
        measured = {layout["domains"]: layout["ns_per_day"] for layout in found["layouts"]}
        self.assertEqual(set(measured), {"1x1x1", "1x1x2", "1x2x1", "2x1x1"})
        self.assertTrue(measured[found["fastest"]["domains"]])
        keys = dict(line.split(" = ") for line in tuned.read_text().splitlines() if " = " in line and line[0] != ";")
        self.assertEqual(keys["domains"], found["fastest"]["domains"])
        self.assertEqual(keys["dlb"], "no")
        self.assertEqual(keys["mesh-ranks"], "0")  # also where the folder's md.mdp has another number
        argon = holon.INPUTS / "argon"
        arguments = ["-f", tuned, "-c", argon / "conf.gro", "-p", argon / "topol.top"]
        result = holon.run(self.work / "run", arguments, found["fastest"]["ranks"], nsteps=2)
        self.assertEqual("x".join(map(str, result.summary["domains"])), found["fastest"]["domains"])

    def test_bad_words_are_refused(self):
        for words, what in (([self.work], "no md.mdp"), ([holon.INPUTS / "argon", "--cores", "0"], "at least 1"),
                            ([holon.INPUTS / "argon", "--set", "mesh-ranks=few"], "a number of ranks")):
            done = subprocess.run(list(map(str, [sys.executable, TOOL, *words])), capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(what, done.stderr)


if __name__ == "__main__":
    holon.main()
