"""Runs acceptance cases, prints and logs their figures."""

import datetime
import json
import pathlib
import shutil
import subprocess
import time
import traceback

from support import holon_runner as holon

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commit():
    """The commit of the tree, with a plus sign if files differ from it."""

    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()

    return (git("rev-parse", "--short=12", "HEAD") or "none") + ("+" if git("status", "--porcelain") else "")


class Log:
    """A file of JSON lines, one figure each; figures are only ever added."""

    def __init__(self, path):
        self.path = path

    def add(self, entry):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a") as file:
            file.write(json.dumps(entry) + "\n")

    def newest(self):
        """The newest entry of each figure, in the order of the cases."""
        entries = [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []
        newest = {(entry["case"], entry["figure"]): entry for entry in entries}
        runs = {case: max(e["run"] for e in newest.values() if e["case"] == case) for case, _ in newest}
        return sorted((e for e in newest.values() if e["run"] == runs[e["case"]]), key=lambda e: e["case"])

    def print_table(self):
        entries = self.newest()
        for entry in entries:
            print_figure(entry, entry["commit"])
        failed = sum(entry["passed"] is False for entry in entries)
        print(f"{len(entries)} figures, {failed} failed")
        return 1 if failed else 0


def print_figure(entry, extra=""):
    mark = {True: "pass", False: "FAIL", None: ""}[entry["passed"]]
    value = f"{entry['value']:.6g}" if isinstance(entry["value"], float) else str(entry["value"])
    text = ""
    if len(value) > 24 or "\n" in value:
        value, text = "", "\n" + value.strip()[-600:].replace("\n", "\n     ")
    print(f"{mark:5}{entry['case']:28}{entry['figure']:44}{value:>16}  {entry['limit']:16}{extra}{text}", flush=True)


class Report:
    """Where a case puts its figures; `work` is its folder, fresh unless the case keeps it."""

    def __init__(self, case, log, work, commit_):
        self.case, self.log, self.work, self.commit = case, log, work, commit_
        self.run = datetime.datetime.now().isoformat(timespec="seconds")
        self.failed = 0

    def check(self, figure, passed, value="", limit=""):
        """Logs a figure and whether it passed; None: it is only noted."""
        passed = None if passed is None else bool(passed)
        entry = {
            "case": self.case,
            "figure": figure,
            "value": value,
            "limit": limit,
            "passed": passed,
            "commit": self.commit,
            "run": self.run,
        }
        self.failed += passed is False
        self.log.add(entry)
        print_figure(entry)

    def at_most(self, figure, value, limit):
        self.check(figure, value <= limit, value, f"<= {limit:g}")

    def at_least(self, figure, value, limit):
        self.check(figure, value >= limit, value, f">= {limit:g}")

    def note(self, figure, value):
        self.check(figure, None, value)


def run_cases(cases, log, work):
    """Runs cases one after another; an exception in one is its failure. Returns the exit status."""
    here = commit()
    failed = 0
    for name, case in cases.items():
        folder = work / name
        if not getattr(case, "keeps_its_folder", False):
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        report = Report(name, log, folder, here)
        began = time.monotonic()
        try:
            case(report)
        except holon.RunError as error:
            report.check("runs to its end", False, str(error)[-2000:])
        except Exception:
            report.check("runs to its end", False, traceback.format_exc()[-2000:])
        report.note("seconds", time.monotonic() - began)
        failed += report.failed
        if not report.failed and not getattr(case, "keeps_its_folder", False):
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{'FAILED' if failed else 'passed'}: {len(cases)} cases, {failed} figures failed; {log.path}")
    return 1 if failed else 0
