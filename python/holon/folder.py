"""A run: the folder that holon-md writes."""

import functools
import json
import pathlib
from typing import Any

from .checkpoint import State, states, text
from .errors import HolonError
from .log import Job, Parameters, jobs_of, parameters_of, title_of
from .statistics import Statistics, series_statistics
from .table import Table, read_table
from .universe import state_universe, trajectory_universe

FILES = ("energy.csv", "md.log", "summary.json", "checkpoint.h5", "trajectory.h5md")


class Run:
    """The folder of a run, finished or not. Files are read when they are first asked for; reload() forgets them."""

    def __init__(self, folder: str | pathlib.Path) -> None:
        """HolonError if this is no folder of a run."""
        self.folder = pathlib.Path(folder)
        if not self.folder.is_dir():
            raise HolonError(f"{self.folder}: no such folder: give the folder of a run (holon-md -o)")
        if not any(self.file(name).exists() for name in FILES):
            raise HolonError(f"{self.folder}: no run: there is no {', '.join(FILES[:-1])} or {FILES[-1]}")

    def __repr__(self) -> str:
        return f"<Run {str(self.folder)!r}: {self.status}>"

    def file(self, name: str) -> pathlib.Path:
        return self.folder / name

    def reload(self) -> None:
        """Forgets what has been read, for a run that goes on."""
        for name in ("table", "energies", "summary", "log", "parameters"):
            self.__dict__.pop(name, None)

    @functools.cached_property
    def table(self) -> Table:
        """energy.csv with an array per column, whatever is installed."""
        return read_table(self.file("energy.csv"))

    @functools.cached_property
    def energies(self) -> Any:
        """energy.csv: a pandas.DataFrame, or without pandas a Table. Columns are the same, as in energies["lj"]."""
        try:
            return self.table.to_pandas()
        except HolonError:
            return self.table

    def statistics(self, begin_ps: float | None = None) -> dict[str, Statistics]:
        """Average, error, fluctuation and drift of each column of energy.csv, from a time on."""
        table = self.table
        first = 0 if begin_ps is None else int(table["time_ps"].searchsorted(begin_ps))
        time = table["time_ps"][first:]
        return {name: series_statistics(time, table[name][first:]) for name in table.columns[2:]}

    @functools.cached_property
    def summary(self) -> dict[str, Any]:
        """summary.json, written when the program ends. HolonError while there is none."""
        path = self.file("summary.json")
        try:
            found = json.loads(path.read_text())
        except FileNotFoundError:
            raise HolonError(f"{path}: not there: the run goes on, or was killed") from None
        except (OSError, ValueError) as error:
            raise HolonError(f"{path}: cannot read the summary: {error}") from None
        if not isinstance(found, dict):
            raise HolonError(f"{path}: not a summary")
        return found

    @property
    def status(self) -> str:
        """finished, stopped (can be continued), failed, or unfinished: goes on, or was killed."""
        try:
            return str(self.summary.get("status", "unfinished"))
        except HolonError:
            return "unfinished"

    @functools.cached_property
    def log(self) -> str:
        """The text of md.log."""
        try:
            return self.file("md.log").read_text(errors="replace")
        except OSError as error:
            raise HolonError(f"{self.file('md.log')}: cannot read the log: {error.strerror}") from None

    @property
    def jobs(self) -> list[Job]:
        """The starts of the program that the run consists of."""
        return jobs_of(self.log)

    @property
    def title(self) -> str:
        """What the topology calls the system."""
        return title_of(self.log)

    @functools.cached_property
    def parameters(self) -> Parameters:
        """The parameters in force, those of the last start."""
        found = parameters_of(self.log) if self.file("md.log").exists() else None
        return found if found is not None else Parameters(self.text("mdp"))

    def text(self, name: str) -> str:
        """A text that the checkpoint keeps: mdp, topology, index, command-line, ..."""
        return text(self.file("checkpoint.h5"), name)

    def states(self) -> list[State]:
        """The states of checkpoint.h5 that are complete, the newest last."""
        return states(self.file("checkpoint.h5"))

    def state(self, step: int | None = None) -> State:
        """The newest state, or that of a step. HolonError if there is none."""
        found = [state for state in self.states() if step is None or state.step == step]
        if not found:
            wanted = "state" if step is None else f"state of step {step}"
            steps = ", ".join(str(state.step) for state in self.states())
            raise HolonError(f"{self.file('checkpoint.h5')}: no {wanted}: there are {steps or 'none'}")
        return found[-1]

    def universe(self, source: str = "trajectory") -> Any:
        """An MDAnalysis.Universe with names, elements, masses, charges, residues and bonds.

        source: "trajectory", all frames of trajectory.h5md, or "checkpoint", the newest state.
        """
        path = self.file("trajectory.h5md")
        if source == "trajectory":
            return trajectory_universe(path)
        if source != "checkpoint":
            raise HolonError(f"universe: source is 'trajectory' or 'checkpoint', not {source!r}")
        return self.state_universe(self.state())

    def state_universe(self, state: State) -> Any:
        """A Universe of one frame, a state of this run."""
        positions, velocities = state.read()
        path = self.file("trajectory.h5md")
        return state_universe(path, positions, velocities, state.box, state.time_ps)
