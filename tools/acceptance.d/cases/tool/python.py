"""Item 4: types and tests of the Python package on the oldest Python that its page names; errors in the field's words."""

import re
import subprocess
import sys

from support import holon_runner as holon

PACKAGE = holon.ROOT / "python"


def oldest(report):
    """mypy, and the tests, on the oldest Python"""
    named = re.search(r"\((\d+\.\d+) or newer\)", (holon.ROOT / "docs" / "python.md").read_text())[1]
    required = re.search(r'requires-python = ">=([\d.]+)"', (PACKAGE / "pyproject.toml").read_text())[1]
    report.check("docs and pyproject.toml", named == required, f"{named}, {required}", "equal")
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    report.check("this Python", here == named, here, named)
    done = subprocess.run(["mypy", "--python-version", named], cwd=PACKAGE, capture_output=True, text=True)
    report.check("mypy --strict", done.returncode == 0, (done.stdout + done.stderr)[-800:], "Success")
    for path in sorted((holon.ROOT / "tests" / "python").glob("*_test.py")):
        done = subprocess.run([sys.executable, path], capture_output=True, text=True)
        report.check(path.name, done.returncode == 0, done.stderr[-800:] if done.returncode else "passed", "passed")


def words(report):
    """one sentence for each mistake: what, where, what to do; exit status 2"""
    argon = holon.input_files(holon.INPUTS / "argon")
    run = holon.run(report.work / "run", argon, 1, nsteps=2, nstxout=0, nstxout_compressed=0).folder
    frames = holon.run(report.work / "frames", argon, 1, nsteps=2, nstxout=1).folder
    (report.work / "empty").mkdir()
    (report.work / "bad").mkdir()
    (report.work / "bad" / "energy.csv").write_text("step,time_ps,potential\n0,0.0,high\n")
    x = report.work / "x.xtc"
    for program, arguments, expected in (
        ("holon-report", [report.work / "none"], ("none", "no such folder", "holon-md -o")),
        ("holon-report", [report.work / "empty"], ("empty", "no run")),
        ("holon-report", [report.work / "bad"], ("energy.csv", "high", "repair")),
        ("holon-export", [run, "-o", x], ("trajectory.h5md", "nstxout")),
        ("holon-export", [run, "-o", report.work / "x.abc"], (".abc", ".xtc")),
        ("holon-export", [run, "-o", report.work / "x.xvg", "--columns", "pres"], ("pres", "pressure_bar")),
        ("holon-export", [frames, "-o", x, "-s", "name ("], ("name (", "selection")),
        ("holon-export", [frames, "-o", x, "-s", "name OW"], ("name OW", "no such atom")),
        ("holon-md", ["--dry-run", "-f", "md.mdp"], ("-c FILE.gro", "--help")),
        ("holon-inspect", [report.work / "bad" / "energy.csv"], ("energy.csv",)),
    ):
        done = holon.call(program, arguments, 1 if program == "holon-md" else 0)
        lines = [line for line in done.stderr.splitlines() if line.startswith(f"{program}: ")]
        said = lines[0] if lines else done.stderr[-200:]
        good = len(lines) == 1 and (done.status == 2 or program == "holon-md") and all(w in said for w in expected)
        report.check(f"{program} {arguments[-1]}".replace(f"{report.work}/", ""), good and "Traceback" not in done.stderr, said, "2")


CASES = {"4.python": oldest, "4.words": words}
