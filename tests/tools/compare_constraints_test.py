#!/usr/bin/env python3
"""tools/compare_constraints: tables and plot from rows that are there."""

import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402

TOOL = holon.ROOT / "tools" / "compare_constraints"
ROWS = [
    {"molecule": "water", "method": "shake", "setting": "1e-04", "iterations": 10, "residual": 9.9e-5, "us": 0.2},
    {"molecule": "water", "method": "wiggle", "setting": "1e-04", "iterations": 5, "residual": 9.8e-5, "us": 0.3},
    {"molecule": "octane", "method": "newton", "setting": "exact", "drift": -0.0123, "largest_step_fs": 8},
]


class CompareConstraints(holon.ProgramTest):
    def test_rows_become_a_table_and_claims(self):
        file = self.work / "rows.json"
        file.write_text(json.dumps(ROWS))
        command = [sys.executable, TOOL, "--molecules", "water", "--from", file]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertIn("| water | `shake` | 1e-04 | 10 | 1e-04 | 0.2 | - | - | - | - |", told)
        self.assertIn("| octane | `newton` | exact | - | - | - | - | - | -0.012 | 8 |", told)
        claim = next(line for line in told.splitlines() if line.startswith("| `wiggle` | begins"))
        self.assertIn("water: 2; octane: -", claim)

    def test_unknown_molecules_are_refused(self):
        result = subprocess.run([sys.executable, TOOL, "--molecules", "lead"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("no such molecule: lead", result.stderr)


if __name__ == "__main__":
    holon.main()
