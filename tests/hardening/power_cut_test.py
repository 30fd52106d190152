#!/usr/bin/env python3
"""Whatever part of what has not been synced is on disk after a power cut: a run goes on from an older state."""

import pathlib
import random
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402
from support import power_cut  # noqa: E402

ARGON = holon.input_files(holon.INPUTS / "argon")


class PowerCut(holon.ProgramTest):
    def test_subsets_of_pages(self):
        outcome = power_cut.cut_many(self.work, ARGON, random.Random(1), 2, 5)
        self.assertEqual(outcome.wrong, [])
        self.assertEqual(outcome.refused, [])

    def test_file_system_without_mappings_and_reservations(self):
        shim = power_cut.build_shim(self.work)
        whole = holon.run(self.work / "whole", ARGON, 2, nsteps=30)
        folder = self.work / "plain"
        words = [*ARGON, "-o", folder, "--nsteps", 30, "--checkpoint-mapping", "yes", "--checkpoint-sync", 0.01]
        command = holon.command_line("holon-md", words, 2)
        plain = {"HOLON_DISK_PLAIN": 1}
        subprocess.run(power_cut.on_disk_of(folder, self.work / "images", shim, command, **plain), check=True)
        self.assertEqual(holon.summary_of(folder)["state_hash"], whole.state_hash)
        on_disk = self.work / "images" / "checkpoint.h5"
        compared = holon.call("holon-inspect", [on_disk, whole.folder / "checkpoint.h5"])
        self.assertEqual(compared.status, 0, compared.stdout)


if __name__ == "__main__":
    holon.main()
