"""Folders for the tests of the Python package: its place, and runs that several tests read."""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = TESTS.parent / "python"
sys.path[:0] = [str(PACKAGE), str(TESTS / "program")]

from support import holon_runner as runner  # noqa: E402

WATER = [runner.INPUTS / "spce" / name for name in ("md.mdp", "conf.gro", "topol.top")]
ARGON = [runner.INPUTS / "argon" / name for name in ("md.mdp", "conf.gro", "topol.top")]


def write_run(folder, rows, columns, status="finished"):
    """A folder with an energy.csv of rows [row][column] and a short md.log, as if it had been run."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "energy.csv", "w") as file:
        file.write(",".join(columns) + "\n")
        for row in rows:
            file.write(",".join(repr(value) for value in row) + "\n")
    last = rows[-1] if len(rows) else [0, 0.0]
    (folder / "md.log").write_text(
        "holon-md 0.1.0 on 2 ranks, threads of each: 1, instruction set v4\n"
        "System: made up: 100 atoms, 100 molecules, 0 constraints, total charge 0.0000 e\n\n"
        "Parameters:\nintegrator               = md\ndt                       = 0.002\n\n"
        f"{status} at step {int(last[0])} after 12.50 s: 13.800 ns/day, state 0123456789abcdef\n"
    )
    return folder
