"""Calls of the system that fail, ranks and clocks that misbehave, other MPI libraries and networks, long lives."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from support import holon_runner as holon
from support import io_faults
from support import same_bits

TESTS = holon.ROOT / "tests"
JOBS = max(2, os.cpu_count() or 2)  # a run mostly waits for its start


def io(name, kinds):
    def run(report):
        if not io_faults.LIBRARY.exists():
            raise holon.RunError(f"{io_faults.LIBRARY} is not built")
        os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"
        faults = io_faults.Faults(report.work)
        for rank in 0, 1:
            for kind in kinds:
                tally = io_faults.fail_calls(faults, name, [rank], [kind], jobs=JOBS)
                report.note(f"rank {rank}, {kind}: calls", tally.calls)
                report.check(f"rank {rank}, {kind}", not tally.violations, "\n".join(tally.violations), tally.text())

    run.__doc__ = f"{name}: each call to the file system fails, {' or '.join(kinds)}"
    return run


def python_test(report, path):
    """Runs a script of tests and reports each of them."""
    done = subprocess.run([sys.executable, TESTS / path, "-v"], capture_output=True, text=True)
    needed = len(re.findall(r"^    def test_", (TESTS / path).read_text(), re.M))
    results = re.findall(r"^(test_\w+) .*?\.\.\. .*?(ok|FAIL|ERROR|skipped.*)$", done.stderr, re.M | re.S)
    for name, outcome in results:
        report.check(name.removeprefix("test_").replace("_", " "), outcome == "ok", outcome, "ok")
    report.check("all of them", done.returncode == 0 and len(results) == needed, len(results), f"{needed}")
    for line in done.stdout.splitlines():
        report.note(line.split(":")[0], line.split(":", 1)[-1].strip())


def mishaps(report):
    """a rank that stops answering, a folder that is moved away, a clock that jumps; bursts of signals"""
    python_test(report, "hardening/mishaps_test.py")
    python_test(report, "program/stop_test.py")


def long_lives(report):
    """steps beyond 2^31 and 2^32, microseconds, files beyond 4 GiB"""
    python_test(report, "hardening/long_life_test.py")


def networks(report):
    """ranks with only TCP between them; nodes with delays, jitter and losses between them"""
    sys.path.append(str(TESTS / "network"))
    python_test(report, "network/network_test.py")


def mpich(report):
    """Debian's MPICH: the tests with the labels unit, mpi and conformance"""
    if not shutil.which("apt-get"):
        raise holon.RunError("needs Debian's packages")
    done = subprocess.run([holon.ROOT / "tools" / "test-mpich"], capture_output=True, text=True)
    summary = re.findall(r"(\d+)% tests passed, (\d+) tests failed out of (\d+)", done.stdout)
    failed = re.findall(r"^\s+\d+ - (\S+) \((?!Skipped)", done.stdout, re.M)
    report.check("tests", done.returncode == 0, " ".join(failed) or (summary[-1][2] if summary else done.stderr), "pass")


def many_ranks(kind):
    def run(report):
        arguments = holon.input_files(holon.INPUTS / "argon")
        settings = {"nstxout_compressed": 5, "nstenergy": 5}
        whole = holon.run(report.work / "whole", arguments, 1, nsteps=20, **settings)
        os.environ |= {"OMPI_MCA_io": kind, "OMPI_MCA_mpi_yield_when_idle": "1"}
        try:
            result = same_bits.split_run(report.work / "run", arguments, 20, first=64, second=64, **settings)
        finally:
            del os.environ["OMPI_MCA_io"]
        report.check("state hash", result.state_hash == whole.state_hash, result.state_hash, whole.state_hash[:8])
        problem = same_bits.trajectories.differing_frames(
            *(next(pathlib.Path(r.folder).glob("trajectory.*")) for r in (result, whole))
        )
        report.check("trajectory", not problem, problem or "same")

    run.__doc__ = f"64 ranks on 864 atoms write and restart, MPI-IO {kind}"
    return run


LASTING = ["EIO from then on", "ENOSPC from then on"]
CASES = {
    **{f"4.io-{name}": io(name, ["EIO", "ENOSPC", "short", "SIGBUS"]) for name in ("start", "resume", "longer")},
    **{f"4.io-{name}-lasting": io(name, LASTING) for name in ("start", "resume", "longer")},
    "4.io-branch": io("branch", ["EIO", *LASTING]),
    "4.mishaps": mishaps,
    "6.mpich": mpich,
    "6.64-ranks-ompio": many_ranks("ompio"),
    "6.64-ranks-romio": many_ranks("romio321"),
    "8.networks": networks,
    "9.long-lives": long_lives,
}
