"""The command holon-report."""

import argparse
import pathlib
import sys
from collections.abc import Sequence

from ..errors import HolonError
from ..folder import Run
from ..version import VERSION
from .page import page
from .views import View, labels_of

BAD_INPUT, CANNOT_WRITE = 2, 3


def write_report(folders: Sequence[str | pathlib.Path], output: str | pathlib.Path) -> pathlib.Path:
    """Writes the report of one run, or of several side by side. HolonError for what is no run."""
    runs = [Run(folder) for folder in folders]
    labels = labels_of([run.folder for run in runs])
    views = [View(run, number, label) for number, (run, label) in enumerate(zip(runs, labels))]
    path = pathlib.Path(output)
    path.write_text(page(views), encoding="utf-8")
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 2 for runs that cannot be read, 3 if the report cannot be written."""
    parser = argparse.ArgumentParser(
        prog="holon-report",
        description="Writes one HTML file about runs: energies, drift, errors, where the time went; "
        "several runs side by side.",
    )
    parser.add_argument("runs", metavar="RUN", nargs="+", help="folder of a run, finished or not")
    parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="report.html by default")
    parser.add_argument("--version", action="version", version=f"holon-report {VERSION}")
    given = parser.parse_args(arguments)
    try:
        path = write_report(given.runs, given.output)
    except HolonError as error:
        print(f"holon-report: error: {error}", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:
        print(f"holon-report: error: {given.output}: cannot write the report: {error.strerror}", file=sys.stderr)
        return CANNOT_WRITE
    print(path)
    return 0
