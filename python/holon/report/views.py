"""What the report shows of a run, and how numbers are written."""

import functools
import html
import math
import pathlib
from typing import Any

from ..errors import HolonError
from ..folder import Run
from ..log import Job
from ..statistics import Statistics
from ..table import Array, Table

COLOURS = 6


class View:
    """A run as the report sees it: what is not there is empty and not an error."""

    def __init__(self, run: Run, number: int, label: str) -> None:
        """HolonError if files are there that cannot be read."""
        self.run, self.label = run, label
        self.colour = number % COLOURS
        there = run.file("energy.csv").exists()
        self.table: Table | None = run.table if there else None
        self.summary: dict[str, Any] = run.summary if run.file("summary.json").exists() else {}
        has_log = run.file("md.log").exists()
        self.jobs: list[Job] = run.jobs if has_log else []
        self.title = run.title if has_log else ""

    @functools.cached_property
    def statistics(self) -> dict[str, Statistics]:
        return self.run.statistics() if self.table is not None and self.table.rows else {}

    def parameter(self, key: str) -> str:
        """Empty if it is not known."""
        try:
            return self.run.parameters.get(key, "")
        except HolonError:
            return ""

    @property
    def minimises(self) -> bool:
        return self.parameter("integrator") in ("steep", "cg", "l-bfgs")

    def column(self, name: str) -> Array | None:
        return self.table[name] if self.table is not None and name in self.table else None

    @property
    def last_step(self) -> int | None:
        if "end_step" in self.summary:
            return int(self.summary["end_step"])
        return int(self.table["step"][-1]) if self.table is not None and self.table.rows else None

    @property
    def last_time(self) -> float | None:
        if "final" in self.summary:
            return float(self.summary["final"]["time_ps"])
        return float(self.table["time_ps"][-1]) if self.table is not None and self.table.rows else None


def labels_of(folders: list[pathlib.Path]) -> list[str]:
    """The last parts of paths: as few as tell them apart."""
    paths = [folder.resolve().parts for folder in folders]
    most = max(len(path) for path in paths)
    for count in range(1, most + 1):
        labels = ["/".join(path[-count:]) for path in paths]
        if len(set(labels)) == len(set(paths)):
            break
    return labels


def text(value: object) -> str:
    return html.escape(str(value))


def with_error(mean: float, error: float | None) -> str:
    """The digits that the error leaves: 300.12 ± 0.87."""
    if not math.isfinite(mean):
        return "\u2013"
    if error is None or not math.isfinite(error) or error <= 0:
        return number(mean)
    decimals = max(0, 1 - math.floor(math.log10(error)))
    if decimals > 8:
        return f"{number(mean)} ± {error:.1e}"
    return f"{sign(f'{mean:,.{decimals}f}')} ± {error:,.{decimals}f}".replace(",", "\u2009")


def count(value: int | None) -> str:
    """A number of things; empty for none."""
    return "" if value is None else f"{value:,}".replace(",", "\u2009")


def number(value: float | None, digits: int = 5) -> str:
    """A figure with so many digits; a dash for none."""
    if value is None or not math.isfinite(value):
        return "\u2013"
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e9:
        return sign(f"{value:.{max(0, digits - 2)}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return sign(f"{value:,.{decimals}f}").replace(",", "\u2009")


def sign(written: str) -> str:
    return written.replace("-", "\u2212", 1) if written.startswith("-") else written


def seconds(value: float | None) -> str:
    if value is None:
        return "\u2013"
    if value < 120:
        return f"{value:.1f} s"
    minutes, hours, days = value / 60, value / 3600, value / 86400
    return f"{minutes:.1f} min" if minutes < 120 else f"{hours:.1f} h" if hours < 72 else f"{days:.1f} d"


def size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if abs(count) < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def table(head: list[str], rows: list[list[str]], numeric: bool = True) -> str:
    """An HTML table of cells that are HTML already; the first cell of a row is its name."""
    kind = ' class="number"' if numeric else ""
    top = "".join(f"<th{kind if k else ''}>{cell}</th>" for k, cell in enumerate(head))
    body = []
    for row in rows:
        cells = "".join(f"<td{kind}>{cell}</td>" for cell in row[1:])
        body.append(f"<tr><th>{row[0]}</th>{cells}</tr>")
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{"".join(body)}</tbody></table></div>'


def run_heads(views: list[View]) -> list[str]:
    """Heads of columns, one for each run; none if there is one run only."""
    if len(views) == 1:
        return ["", ""]
    return ["", *(f'<span class="swatch fill{view.colour}"></span>{text(view.label)}' for view in views)]


def bars(rows: list[tuple[str, list[tuple[int, float, str]]]]) -> str:
    """Horizontal bars: (name, [(colour, length, what is written beside)]) for each row. All have one scale."""
    longest = max((length for _, values in rows for _, length, _ in values), default=0.0) or 1.0
    parts = []
    for name, values in rows:
        stack = "".join(
            f'<div class="bar fill{colour}" style="width:{100 * max(length, 0.0) / longest:.2f}%"></div>'
            for colour, length, _ in values
        )
        beside = "<br>".join(written for _, _, written in values)
        parts.append(f'<div>{text(name)}</div><div class="stack">{stack}</div><div class="value">{beside}</div>')
    return f'<div class="card"><div class="bars">{"".join(parts)}</div></div>'
