#!/usr/bin/env python3
"""tools/acceptance knows all its lists, runs an item and logs its figures."""

import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))
from support import holon_runner as holon  # noqa: E402

TOOL = holon.ROOT / "tools" / "acceptance"
LISTS = ("checkpoint", "constraints", "first-light", "folders", "mesh", "speed")


class Acceptance(holon.ProgramTest):
    def call(self, *words):
        words = [sys.executable, TOOL, *words, "--work", self.work]
        return subprocess.run(list(map(str, words)), capture_output=True, text=True)

    def test_every_list_names_its_items(self):
        for name in LISTS:
            done = self.call(name, "--list")
            self.assertEqual(done.returncode, 0, done.stderr)
            for line in done.stdout.splitlines():
                self.assertRegex(line, r"^\d+\.\S+\s+\S+")

    def test_an_item_is_run_and_logged(self):
        done = self.call("speed", "5.check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        entries = [json.loads(line) for line in (self.work / "speed.jsonl").read_text().splitlines()]
        self.assertTrue(all(entry["case"] == "5.check" for entry in entries))
        self.assertTrue(any(entry["passed"] for entry in entries))
        self.assertIn(f"{len(entries)} figures, 0 failed", self.call("speed", "--table").stdout)

    def test_an_unknown_item_is_refused(self):
        done = self.call("speed", "99")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such item", done.stderr)


if __name__ == "__main__":
    holon.main()
