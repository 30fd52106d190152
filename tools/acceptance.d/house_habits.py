"""Items 5 to 7: files that a new part touches, the size of what has to be read, and habits by their commands."""

import json
import os
import re
import subprocess
import sys
import time

from support import holon_runner as holon

ROOT = holon.ROOT
MOST_FILES = {
    "A constraint solver": 2,
    "A bonded interaction": 4,
    "A scheme": 2,
    "A thermostat": 2,
    "A barostat": 2,
}
DUPLICATES = {  # what is to be defined in one place only
    "ownership directory": r"\bfind_owners\(const Communicator",
    "numbering of atoms of cut clusters": r"::number_of\(AtomId",
    "messages by rank": r"std::map<int, std::vector<std::byte>>",
    "index of an array": r"std::size_t index\(",
}


def call(*command, **environment):
    """A command of the tree; its exit status, what it says, and how long it took [s]."""
    began = time.monotonic()
    done = subprocess.run(
        [str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr, time.monotonic() - began


def check_call(report, name, *command, **environment):
    """Logs whether a command succeeds, and what it says if it does not."""
    status, said, seconds = call(*command, **environment)
    report.check(name, status == 0, "succeeds" if status == 0 else f"{status}: {said[-500:]}", "succeeds")
    return said, seconds


def files_touched(report):
    """files that a recipe of CONTRIBUTING.md touches; all of them built and run"""
    _, said, _ = call("tools/recipes", "--count")
    counts = dict(re.findall(r"^(.+): (\d+)$", said, re.MULTILINE))
    for name, most in MOST_FILES.items():
        report.at_most(name, int(counts.get(name, 99)), most)
    check_call(report, "tools/recipes", "tools/recipes")


def sizes(report):
    """sizes of functions and folders, include cycles, what is defined twice"""
    check_call(report, "tools/check_sizes.py", sys.executable, "tools/check_sizes.py")
    check_call(report, "tools/check_layers.py", sys.executable, "tools/check_layers.py")
    sources = [path for folder in ("src", "include") for path in (ROOT / folder).rglob("*.?pp")]
    for name, pattern in DUPLICATES.items():
        found = sum(len(re.findall(pattern, path.read_text())) for path in sources)
        report.at_most(f"definitions: {name}", found, 2 if "owners" in pattern else 1)  # with its declaration


def suite(report):
    """tools/test in under 12 minutes"""
    _, seconds = check_call(report, "tools/test", "tools/test")
    report.at_most("tools/test [s]", seconds, 720)


def pytest(report):
    """Python tests under pytest: collected all, and the short ones run"""
    said, _ = check_call(report, "pytest --collect-only", "/usr/bin/python3", "-m", "pytest", "--collect-only", "-q")
    report.note("tests collected", (re.findall(r"(\d+) tests collected", said) or ["none"])[0])
    check_call(report, "pytest", "/usr/bin/python3", "-m", "pytest", "-q", "tests/source", "tests/program/steps_test.py")


def coverage(report):
    """line coverage of the default suite"""
    check_call(report, "tools/coverage", "tools/coverage")
    files = json.loads((ROOT / "build-coverage" / "coverage.json").read_text())["files"]
    covered = sum(file["line_covered"] for file in files) / sum(file["line_total"] for file in files)
    report.note("lines covered [%]", 100 * covered)


def command(name, *words):
    def run(report):
        check_call(report, name, *words)

    run.__doc__ = f"{name} succeeds"
    return run


CASES = {
    "5.recipes": files_touched,
    "6.sizes": sizes,
    "7.tidy": command("tools/tidy", "tools/tidy"),
    "7.warnings": command("tools/warnings", "tools/warnings"),
    "7.sanitizers": command("tools/sanitize", "tools/sanitize"),
    "7.docs": command("tools/docs", "tools/docs"),
    "7.format": command("tools/format --check", "tools/format", "--check"),
    "7.pytest": pytest,
    "7.coverage": coverage,
    "7.suite": suite,
}
