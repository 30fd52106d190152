#!/usr/bin/env python3
"""tools/scaling_model counts what real runs send, and comes near published scaling when fed with GROMACS' costs."""

import json
import math
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402

sys.path.insert(0, str(holon.ROOT / "tools" / "scaling_model.d"))
import decomposition  # noqa: E402
import gromacs_check  # noqa: E402
import machines  # noqa: E402
import model  # noqa: E402

TOOL = holon.ROOT / "tools" / "scaling_model"
STICK_OUT = 0.1  # of hydrogens out of the domain of their oxygen [nm]


class Counts(holon.ProgramTest):
    def check(self, ranks):
        summary = holon.run(
            self.work / str(ranks), holon.input_files(holon.INPUTS / "spce"), ranks, nsteps=0, coulombtype="PME"
        ).summary
        sent, mesh = summary["communication"], summary["mesh"]
        box = [n * h for n, h in zip(mesh["grid"], mesh["spacing_nm"])]
        counts = decomposition.choose_grid(ranks, box, sent["halo_width_nm"])
        self.assertEqual(list(counts), summary["domains"])
        halo = decomposition.Halo(box, counts, model.halos_of(summary), STICK_OUT, summary["atoms"] / math.prod(box)).sent()
        self.assertEqual(sent["halo_messages"]["total"], round(ranks * halo["messages"]))
        self.assertAlmostEqual(sent["halo_copies"]["total"] / (ranks * halo["copies"]), 1.0, delta=0.04)
        virtual = decomposition.Mesh(box, counts, mesh["grid"], mesh["width"], STICK_OUT)
        self.assertEqual(sent["mesh_messages"]["total"], virtual.messages)
        self.assertAlmostEqual(sent["mesh_bytes"]["total"] / virtual.bytes, 1.0, delta=0.08)

    def test_two_ranks(self):
        self.check(2)

    def test_four_ranks(self):
        self.check(4)

    def test_six_ranks(self):
        self.check(6)

    def test_eight_ranks(self):
        self.check(8)

    def test_on_many_virtual_ranks_work_is_conserved(self):
        box = (20.0, 25.0, 30.0)
        for ranks in (1, 60, 4096):
            counts = decomposition.choose_grid(ranks, box, 1.0)
            halo = decomposition.Halo(box, counts, ((1.0, 1.0),), 0.0, 100.0)
            self.assertAlmostEqual(halo.home * ranks, 100.0 * math.prod(box), delta=1e-6 * ranks)
            volume = math.prod(b / n + 1.0 for b, n in zip(box, counts)) - math.prod(b / n for b, n in zip(box, counts))
            self.assertAlmostEqual(sum(copies for _, copies in halo.offsets) / (100.0 * volume), 1.0, delta=1e-9)


class Model(holon.ProgramTest):
    def test_comes_near_published_runs_of_gromacs(self):
        for name, nodes, atoms, _, _, ratio in gromacs_check.rows():
            with self.subTest(f"{name} on {nodes} nodes"):
                self.assertLess(abs(math.log(ratio)), math.log(gromacs_check.accuracy(name, atoms)))

    def test_counts_the_copies_of_a_published_run(self):
        self.assertAlmostEqual(gromacs_check.copies_ratio(), 1.0, delta=0.05)

    def test_costs_are_found_again(self):
        known = model.Costs(atom=1e-6, copy=2e-7, mesh_atom=3e-7, point=4e-8)
        runs = [self.made_up(known, edge, spacing) for edge in (3.4, 6.8, 10.0) for spacing in (0.25, 0.35)]
        found = model.fit_costs(runs)
        for part in ("atom", "copy", "mesh_atom", "point"):
            self.assertAlmostEqual(getattr(found, part) / getattr(known, part), 1.0, delta=1e-6)

    @staticmethod
    def made_up(costs, edge, spacing, steps=10, width=1.04):
        grid = [round(edge / spacing)] * 3
        atoms = round(100 * edge**3)
        images = model.images_of([edge] * 3, model.halos_of_water(width, width)) * atoms
        timings = dict.fromkeys(("bonded", "halo", "constraints", "integrate", "pair-list", "repartition", "checkpoint"), 0.0)
        timings["pair"] = steps * (costs.atom * atoms + costs.copy * images)
        timings["mesh"] = steps * (costs.mesh_atom * atoms + costs.point * math.prod(grid))
        return {
            "ranks": 1,
            "atoms": atoms,
            "start_step": 0,
            "end_step": steps,
            "cpu_timings_s": timings,
            "mesh": {"grid": grid, "spacing_nm": [edge / n for n in grid]},
            "communication": {"halo_width_nm": width, "halo_of_charges_nm": width},
        }

    def test_time_falls_with_cores_until_messages_take_over(self):
        costs = model.Costs(atom=1e-6, copy=5e-8, mesh_atom=2e-7, point=3e-8)
        for cores in (128, 1024):
            parts = model.step(model.water(10**6), costs, machines.ARCHER2, cores)[0]
            fewer = model.step(model.water(10**6), costs, machines.ARCHER2, cores // 2)[0]
            self.assertLess(sum(parts.values()), sum(fewer.values()))
            self.assertAlmostEqual(parts["work"] / fewer["work"], 0.5, delta=1e-6)

    def test_the_tool_prints_its_tables(self):
        summary = self.work / "summary.json"
        run = holon.run(self.work / "run", holon.input_files(holon.INPUTS / "spce"), 1, nsteps=3, coulombtype="PME")
        summary.write_text(json.dumps(run.summary))
        words = [sys.executable, TOOL, summary, "--atoms", "1e6", "--cores", "128", "1024"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        self.assertIn("Projection, not a measurement", done.stdout)
        self.assertIn("Strong scaling, 1e+06 atoms", done.stdout)
        refused = subprocess.run([sys.executable, TOOL], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 2)


if __name__ == "__main__":
    holon.main()
