#!/usr/bin/env python3
"""Some calls to the file system fail: a message, exit status 2 or 3, nothing lost. All of them: tools/acceptance."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402
from support import io_faults  # noqa: E402

# Scenario, rank, kind of fault, name and end of the path of the call, which of those.
SAMPLE = [
    ("start", 0, "EIO", "fread", "conf.gro", 0),
    ("start", 0, "EIO", "pwrite", "checkpoint.h5.new", 2),  # the library writes these late, without a word
    ("start", 0, "EIO", "pwrite", "checkpoint.h5.new", 12),  # and these when it closes the file
    ("start", 1, "EIO", "fstat", "checkpoint.h5.new", 0),  # on one rank alone
    ("start", 0, "SIGBUS", "pwrite", "energy.csv", 1),
    ("start", 0, "EIO", "pwrite", "trajectory.h5md", 4),  # the length: what was not made visible is not counted
    ("resume", 0, "EIO", "stat", "trajectory.h5md", 0),
    ("resume", 1, "EIO from then on", "pwrite", "trajectory.h5md", 0),
    ("resume", 0, "short", "pwrite", "checkpoint.h5", 0),
    ("longer", 0, "ENOSPC from then on", "pwrite", "checkpoint.h5.new", 20),
    ("longer", 0, "EIO", "rename", "checkpoint.h5.new", 0),
    ("branch", 1, "ENOSPC", "pwrite", "checkpoint.h5.new", 5),
]


class IoFaults(holon.ProgramTest):
    def test_a_sample_of_calls(self):
        faults = io_faults.Faults(self.work)
        calls = {}
        for scenario, rank, kind, name, path, which in SAMPLE:
            with self.subTest(f"{scenario}: {kind} in {name} {path} of rank {rank}"):
                if (scenario, rank) not in calls:
                    calls[scenario, rank] = faults.scenarios[scenario].count(self.work / "count", rank)
                alike = [call for call in calls[scenario, rank] if call.name == name and call.path.endswith(path)]
                tally = faults.scenarios[scenario].run(self.work / "run", rank, alike[which], kind)
                self.assertEqual(tally.hit, 1)


if __name__ == "__main__":
    if not io_faults.LIBRARY.exists():  # as in builds with sanitizers
        raise SystemExit(77)
    holon.main()
