"""holon-export: frames and energies in the formats of other programs, one frame or piece of a table at a time."""

import argparse
import dataclasses
import math
import pathlib
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy

from .errors import HolonError
from .folder import Run
from .table import Table, table_pieces, title_of, unit_of
from .universe import frame_times, load_mdanalysis
from .version import VERSION
from .whole import MakeWhole

TRAJECTORIES = (".xtc", ".trr", ".dcd", ".pdb")
STRUCTURES = (".gro",)  # one frame, the last one
ENERGIES = (".xvg",)
MOST_IN_CONECT = 99_999  # atoms that records of bonds in a .pdb can count
BAD_INPUT, CANNOT_WRITE = 2, 3


@dataclasses.dataclass(frozen=True)
class Choice:
    """Which frames, or rows of energies, and which atoms or columns."""

    begin_ps: float = -math.inf
    end_ps: float = math.inf
    stride: int = 1  # every so many of those within the time
    selection: str = "all"  # of atoms, in the language of MDAnalysis
    whole: bool = False  # molecules that the box cuts are put together, along their bonds
    columns: tuple[str, ...] = ()  # of energies; all if empty

    def __post_init__(self) -> None:
        if self.stride < 1:
            raise HolonError(f"stride: {self.stride} is not 1 or more")

    def within(self, time_ps: float) -> bool:
        """To the digits that files of times have."""
        slack = 1e-9 * max(1.0, abs(time_ps))
        return self.begin_ps - slack <= time_ps <= self.end_ps + slack


def export(run: Run, output: str | pathlib.Path, choice: Choice = Choice(), source: str = "trajectory") -> int:
    """Writes frames (.xtc, .trr, .dcd, .pdb; .gro: the last one) or energies (.xvg). Returns how many frames or rows.

    source: "trajectory", or "checkpoint" for the newest state. HolonError if there is nothing to write.
    """
    path = pathlib.Path(output)
    kind = path.suffix.lower()
    if kind not in (*TRAJECTORIES, *STRUCTURES, *ENERGIES):
        raise HolonError(f"{path}: unknown format: the name has to end with {', '.join(TRAJECTORIES)}, .gro or .xvg")
    if not path.parent.is_dir():
        raise HolonError(f"{path}: there is no folder {path.parent}")
    existed = path.exists()
    try:
        if kind in ENERGIES:
            return _write_energies(run, path, choice)
        return _write_frames(run, path, choice, source)
    except BaseException:
        if not existed:
            path.unlink(missing_ok=True)  # half of it would be taken for the whole
        raise


def _write_frames(run: Run, path: pathlib.Path, choice: Choice, source: str) -> int:
    mda = load_mdanalysis()
    universe = run.universe(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the format has and the run has not
        atoms = _selected(mda, universe, choice.selection)
        frames = _frames(universe, choice)
        if not frames:
            times = universe.trajectory[0].time, universe.trajectory[-1].time
            raise HolonError(f"{run.folder}: no frames chosen: there are times {times[0]:.10g} to {times[1]:.10g} ps")
        if choice.whole:
            universe.trajectory.add_transformations(MakeWhole(mda, len(universe.atoms), universe.bonds.indices))
        single = path.suffix.lower() in STRUCTURES
        frames = frames[-1:] if single else frames
        options = _writer_options(universe, path, frames, len(atoms))
        with mda.Writer(str(path), n_atoms=len(atoms), **options) as writer:
            for frame in frames:
                current = universe.trajectory[frame]
                if path.suffix.lower() == ".xtc":
                    current.frame = int(current.data.get("step", frame))  # which the writer takes for the step
                writer.write(atoms)
    return len(frames)


def _selected(mda: Any, universe: Any, selection: str) -> Any:
    try:
        atoms = universe.select_atoms(selection)
    except (mda.exceptions.SelectionError, mda.exceptions.NoDataError, AttributeError) as error:
        raise HolonError(f"selection {selection!r}: {error}") from None
    if len(atoms) == 0:
        raise HolonError(f"selection {selection!r}: there is no such atom")
    return atoms


def _frames(universe: Any, choice: Choice) -> list[int]:
    """Numbers of the frames chosen."""
    times = frame_times(universe.trajectory)
    inside = [frame for frame, time in enumerate(times) if choice.within(time)]
    return inside[:: choice.stride]


def _writer_options(universe: Any, path: pathlib.Path, frames: list[int], atoms: int) -> dict[str, Any]:
    kind = path.suffix.lower()
    options: dict[str, Any] = {"multiframe": len(frames) > 1}
    if kind == ".pdb":
        options["bonds"] = "conect" if atoms <= MOST_IN_CONECT else None
    if kind == ".dcd" and len(frames) > 1:
        options["dt"] = universe.trajectory[frames[1]].time - universe.trajectory[frames[0]].time
    return options


def _write_energies(run: Run, path: pathlib.Path, choice: Choice) -> int:
    """As gmx energy writes them, without the need for any library but numpy."""
    rows = 0
    with open(path, "w", encoding="utf-8") as file:
        for number, piece in enumerate(_pieces(run.file("energy.csv"), choice)):
            names = list(choice.columns) or piece.columns[2:]
            if number == 0:
                _check_columns(run, piece, names)
                file.write(_xvg_head(run, names))
            values = numpy.column_stack([piece[name] for name in ["time_ps", *names]])
            numpy.savetxt(file, values, fmt="%.10g")
            rows += len(values)
    if rows == 0:
        raise HolonError(f"{run.file('energy.csv')}: no rows chosen")
    return rows


def _pieces(path: pathlib.Path, choice: Choice) -> Iterator[Table]:
    """The rows chosen."""
    passed = 0  # rows within the time
    for piece in table_pieces(path):
        inside = numpy.array([choice.within(time) for time in piece["time_ps"].tolist()], bool)
        rows = piece.values_by_row[inside]
        yield Table(piece.columns, rows[-passed % choice.stride :: choice.stride])
        passed += len(rows)


def _check_columns(run: Run, table: Table, names: list[str]) -> None:
    for name in names:
        if name not in table:
            there = ", ".join(table.columns[2:])
            raise HolonError(f"{run.file('energy.csv')}: no column {name!r}: there are {there}")


def _xvg_head(run: Run, names: list[str]) -> str:
    units = ", ".join(f"({unit})" for unit in dict.fromkeys(unit_of(name) for name in names))
    title = run.title if run.file("md.log").exists() else ""
    lines = [
        f"# Energies of a run of Holon {VERSION}",
        '@    title "Holon energies"',
        *([f'@    subtitle "{_quoted(title)}"'] if title else []),
        '@    xaxis  label "Time (ps)"',
        f'@    yaxis  label "{_quoted(units)}"',
        "@TYPE xy",
        "@ legend on",
        *(f'@ s{k} legend "{_quoted(title_of(name))}"' for k, name in enumerate(names)),
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 2 for what cannot be read or chosen, 3 if the file cannot be written."""
    given = _parser().parse_args(arguments)
    try:
        if given.output.exists() and not given.overwrite:
            raise HolonError(f"{given.output}: is there already: take another name or --overwrite")
        columns = tuple(given.columns.split(",")) if given.columns else ()
        choice = Choice(given.begin, given.end, given.stride, given.selection, given.whole, columns)
        written = export(Run(given.run), given.output, choice, given.source)
    except HolonError as error:
        print(f"holon-export: error: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"holon-export: error: {given.output}: cannot be written: {error.strerror or error}", file=sys.stderr)
        return CANNOT_WRITE
    what = "row" if given.output.suffix.lower() in ENERGIES else "frame"
    print(f"{given.output}: {written} {what}{'s' if written != 1 else ''}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="holon-export",
        description="Writes the trajectory of a run as .xtc, .trr, .dcd or .pdb, its last frame as .gro, its energies "
        "as .xvg. All but .xvg takes MDAnalysis.",
    )
    parser.add_argument("run", metavar="RUN", help="folder of the run, finished or not")
    output = parser.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path, required=True)
    output.help = "the end of its name is the format"
    parser.add_argument("-s", "--selection", metavar="TEXT", default="all", help='atoms, as in "protein and name CA"')
    parser.add_argument("-b", "--begin", metavar="PS", type=float, default=-math.inf, help="first time")
    parser.add_argument("-e", "--end", metavar="PS", type=float, default=math.inf, help="last time")
    parser.add_argument("--stride", metavar="N", type=int, default=1, help="every so many frames or rows")
    parser.add_argument("--whole", action="store_true", help="put molecules together that the box cuts")
    parser.add_argument("--columns", metavar="NAME,...", help="of energies, as energy.csv names them; all without it")
    sources = ("trajectory", "checkpoint")
    parser.add_argument("--source", choices=sources, default=sources[0], help="checkpoint: the newest state")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")
    parser.add_argument("--version", action="version", version=f"holon-export {VERSION}")
    return parser


if __name__ == "__main__":
    sys.exit(main())
