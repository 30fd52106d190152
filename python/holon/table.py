"""energy.csv as a table."""

import io
import pathlib
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy
import numpy.typing

from .errors import HolonError, missing_library

Array = numpy.typing.NDArray[numpy.float64]

MOST_SHOWN = 60  # characters of a line that a message quotes
PIECE = 1 << 25  # bytes that are read at a time

# The ends of names tell the units.
UNITS = {"_ps": "ps", "_K": "K", "_bar": "bar", "_kg_m3": "kg/m^3", "_nm3": "nm^3", "_nm": "nm"}


def unit_of(column: str) -> str:
    """Unit of a column of energy.csv: "temperature_K" -> "K"; energies have none in their names."""
    if column == "step":
        return ""
    return next((unit for end, unit in UNITS.items() if column.endswith(end)), "kJ/mol")


def title_of(column: str) -> str:
    """A column's name without its unit: "pressure_xx_bar" -> "pressure xx"."""
    end = next((end for end in UNITS if column.endswith(end)), "")
    return column.removesuffix(end).replace("_", " ")


class Table(Mapping[str, Array]):
    """Columns by name, each an array with a value per row: table["potential"]."""

    def __init__(self, columns: list[str], values: Array) -> None:
        """values: [row][column]"""
        self.values_by_row = values
        self._index = {name: k for k, name in enumerate(columns)}

    def __getitem__(self, column: str) -> Array:
        if column not in self._index:
            raise KeyError(f"no column {column!r}: there are {', '.join(self._index)}")
        return self.values_by_row[:, self._index[column]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        return f"<Table of {self.rows} rows: {', '.join(self._index)}>"

    @property
    def columns(self) -> list[str]:
        return list(self._index)

    @property
    def rows(self) -> int:
        return len(self.values_by_row)

    def unit(self, column: str) -> str:
        return unit_of(column)

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame. HolonError without pandas."""
        try:
            import pandas
        except ImportError:
            raise missing_library("pandas", "python3-pandas", "for a DataFrame") from None
        frame = pandas.DataFrame(self.values_by_row, columns=self.columns)
        return frame.astype({"step": "int64"}) if "step" in self else frame


def read_table(path: pathlib.Path) -> Table:
    """Reads an energy.csv, the rows of a run that goes on included. HolonError if it cannot be read or is none."""
    pieces = list(table_pieces(path))
    return Table(pieces[0].columns, numpy.concatenate([piece.values_by_row for piece in pieces]))


def table_pieces(path: pathlib.Path) -> Iterator[Table]:
    """The same in pieces of some ten thousand rows, one at least. HolonError as above."""
    try:
        with open(path, "rb") as file:
            columns = file.readline().decode(errors="replace").rstrip("\n").split(",")
            if columns[:2] != ["step", "time_ps"]:
                raise HolonError(f"{path}: not a file of energies: it does not begin with step,time_ps")
            yield Table(columns, numpy.empty((0, len(columns))))
            for lines in _whole_lines(file):
                yield Table(columns, _parsed(path, columns, lines))
    except OSError as error:
        raise HolonError(f"{path}: cannot read the energies: {error.strerror}") from None


def _whole_lines(file: io.BufferedReader) -> Iterator[bytes]:
    """Pieces of the file that end with a line. A last line that is still being written is left out."""
    rest = b""
    while piece := file.read(PIECE):
        whole, newline, tail = piece.rpartition(b"\n")
        if newline:
            yield rest + whole + newline
            rest = tail
        else:
            rest += piece


def _is_row(line: bytes, width: int) -> bool:
    try:
        return len([float(cell) for cell in line.split(b",")]) == width
    except ValueError:
        return False


def _parsed(path: pathlib.Path, columns: list[str], lines: bytes) -> Array:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a piece without rows
            rows = numpy.loadtxt(io.BytesIO(lines), delimiter=",", ndmin=2, comments=None)
    except ValueError:
        bad = next((line for line in lines.splitlines() if not _is_row(line, len(columns))), b"")
        shown = bad[:MOST_SHOWN].decode(errors="replace")
        raise HolonError(
            f"{path}: no row of {len(columns)} energies: {shown!r}: repair the line or take it out"
        ) from None
    if len(rows) and rows.shape[1] != len(columns):
        raise HolonError(f"{path}: {rows.shape[1]} numbers in a row, but {len(columns)} columns")
    return rows.reshape(-1, len(columns))
