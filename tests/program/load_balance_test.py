#!/usr/bin/env python3
"""Load balancing: faces of domains move to where the work is, and no bit of the trajectory changes."""

import numpy

from support import holon_runner as holon
from support import systems
from support.same_bits import hashes

SETTINGS = {"coulombtype": "PME", "nstxout_compressed": 0, "nstenergy": 10, "skin": 0.25}  # repartitions often


def slab(folder, height=3.0):
    """The water box of the inputs beside as much and a half of vacuum along z."""
    title, labels, positions, velocities, box = systems.read_gro(holon.INPUTS / "spce" / "conf.gro")
    box = numpy.array(box)
    box[2][2] *= height
    folder.mkdir(parents=True, exist_ok=True)
    # Whole molecules stay whole: at the periodic boundary along z there is vacuum now.
    for first in range(0, len(positions), 3):
        molecule = positions[first : first + 3]
        molecule -= box[0][0] * numpy.round((molecule - molecule[0]) / box[0][0])
    systems.write_gro(folder / "conf.gro", title, labels, positions, velocities, box)
    for name in ("topol.top", "md.mdp"):
        (folder / name).write_text((holon.INPUTS / "spce" / name).read_text())
    return holon.input_files(folder)


class LoadBalance(holon.ProgramTest):
    def test_changes_no_bit_on_any_number_of_ranks(self):
        water = slab(self.work / "slab")
        settings = {**SETTINGS, "nsteps": 60}
        still = hashes(self.work / "no", water, [(1, None), (4, "1x1x4")], dlb="no", **settings)
        moving = hashes(self.work / "yes", water, [(2, "1x1x2"), (4, "1x1x4"), (4, "2x1x2"), (8, "2x2x2")], dlb="yes", **settings)
        few = hashes(self.work / "few", water, [(3, "1x1x3"), (4, "2x1x2")], dlb="yes", mesh_ranks=2, **settings)
        self.assertEqual(len({*still.values(), *moving.values(), *few.values()}), 1, (still, moving, few))
        for name in moving:
            report = holon.summary_of(self.work / "yes" / name.replace(" ", "-"))["load_balance"]
            self.assertEqual(report["mode"], "yes")
            self.assertGreater(report["moves"], 1)

    def test_evens_out_a_slab_beside_vacuum(self):
        water = slab(self.work / "slab")
        run = holon.run(self.work / "auto", water, 4, nsteps=150, domains="1x1x4", **SETTINGS)
        report = run.summary["load_balance"]
        self.assertEqual(report["mode"], "auto")
        self.assertGreater(report["imbalance_first"], 0.5)
        self.assertLess(report["imbalance_last"], 0.5 * report["imbalance_first"])
        self.assertIn("faces of domains moved", (run.folder / "md.log").read_text())

    def test_a_restart_goes_on_with_the_same_bits(self):
        water = slab(self.work / "slab")
        whole = holon.run(self.work / "whole", water, 1, nsteps=60, **SETTINGS)
        holon.run(self.work / "part", water, 4, nsteps=35, dlb="yes", domains="1x1x4", **SETTINGS)
        last = holon.run(self.work / "part", ["--restart", self.work / "part" / "checkpoint.h5"], 3, nsteps=60, domains="auto", dlb="auto", mesh_ranks=1)
        self.assertEqual(last.state_hash, whole.state_hash)

    def test_ranks_without_the_mesh_send_fewer_of_its_messages(self):
        water = holon.input_files(holon.INPUTS / "spce")
        sent = {}
        for most in (0, 1):
            run = holon.run(self.work / str(most), water, 3, nsteps=5, mesh_ranks=most, **SETTINGS)
            sent[most] = run.summary["communication"]["mesh_messages"]["total"]
        self.assertEqual(sent[1], 4)  # a brick from each of two ranks, and one back
        self.assertGreater(sent[0], 2 * sent[1])

    def test_one_rank_has_nothing_to_balance(self):
        summary = holon.run(self.work / "one", holon.input_files(holon.INPUTS / "argon"), 1, nsteps=5).summary
        self.assertNotIn("load_balance", summary)


if __name__ == "__main__":
    holon.main()
