"""States of checkpoint.h5; docs/checkpoint.md says how it is laid out."""

import dataclasses
import pathlib
from typing import Any

import h5py
import numpy

from .errors import HolonError
from .table import Array

SYNCED_SLOTS = 2  # the last ones, written to disk before the run goes on


@dataclasses.dataclass(frozen=True)
class State:
    """One state. Its atoms are read when they are asked for."""

    path: pathlib.Path
    slot: int
    synced: bool
    step: int
    time_ps: float
    ranks: int
    sequence: int
    box: Array  # vectors, row by row [nm]
    values: dict[str, list[float]]  # of the whole system, as thermostats and integrators declare them

    def positions(self) -> Array:
        """Positions in the box, [atom][xyz] in nm, in the order of the input."""
        return self.read()[0]

    def velocities(self) -> Array:
        """Velocities, [atom][xyz] in nm/ps; with leap-frog half a step earlier."""
        return self.read()[1]

    def read(self) -> tuple[Array, Array]:
        """Positions and velocities, both [atom][xyz], in nm and nm/ps. HolonError if the run has overwritten them."""
        with _open(self.path) as file:
            before = _commits(file)
            mine = before[self.slot]
            if mine is None or int(mine[0]["sequence"]) != self.sequence:
                raise self._overwritten()
            slot = file["slots"][str(self.slot)]
            rows = numpy.concatenate([numpy.arange(c["first_row"], c["first_row"] + c["atoms"]) for c in mine])
            rows = rows[numpy.argsort(slot["identity"]["id"][rows])]
            x, v = slot["position"][:][rows], slot["velocity"][:][rows]
            units = file.attrs["position_unit_nm"], file.attrs["velocity_unit_nm_per_ps"]
        with _open(self.path) as file:
            if not _untouched(self.slot, before, _commits(file)):
                raise self._overwritten()
        lattice = mine[0]["lattice"]
        for k in (2, 1, 0):  # into the box, along c, b and a
            x -= numpy.outer(x[:, k] // lattice[k, k], lattice[k])
        return x * units[0], v * units[1]

    def _overwritten(self) -> HolonError:
        return HolonError(
            f"{self.path}: the run goes on and has overwritten step {self.step} in slot {self.slot}: take a newer state"
        )


def states(path: pathlib.Path) -> list[State]:
    """The states of a checkpoint that are complete, in the order in which they were written.

    Checksums are not computed: `holon-inspect` does that.
    """
    with _open(path) as file:
        found = []
        for slot, commits in enumerate(_commits(file)):
            if commits is None:
                continue
            c = commits[0]
            values: dict[str, list[float]] = {}
            slot_values = file["slots"][str(slot)].get("values")
            more = [] if slot_values is None else slot_values[: max(0, c["value_count"] - len(c["values"]))]
            for value in [*c["values"][: c["value_count"]], *more]:
                values.setdefault(value["name"].decode(), []).append(float(value["value"]))
            found.append(
                State(
                    path=path,
                    slot=slot,
                    synced=slot >= file.attrs["ring"],
                    step=int(c["step"]),
                    time_ps=float(c["time"]),
                    ranks=int(c["ranks"]),
                    sequence=int(c["sequence"]),
                    box=c["box"].copy(),
                    values=values,
                )
            )
    return sorted(found, key=lambda state: state.sequence)


def text(path: pathlib.Path, name: str) -> str:
    """A stored text: mdp, topology, index, command-line, title, ..."""
    with _open(path) as file:
        if name not in file["input"]:
            raise HolonError(f"{path}: no text {name!r}: there are {', '.join(file['input'])}")
        return bytes(file["input"][name][()]).decode(errors="replace").rstrip("\0")


def _open(path: pathlib.Path) -> Any:
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise HolonError(f"{path}: cannot read the checkpoint: {error}") from None
    if file.attrs.get("format") != 4 or "slots" not in file:
        file.close()
        raise HolonError(f"{path}: not a checkpoint of format 4")
    return file


def _commits(file: Any) -> list[Any]:
    """The commit records of each slot [rank]; None where the slot is not whole."""
    records = []
    for slot in range(len(file["slots"])):
        commits = file["slots"][str(slot)]["commits"][:]
        commits = commits[: max(0, int(commits[0]["ranks"]))]
        whole = len(commits) > 0 and commits["atoms"].sum() == file.attrs["atoms"]
        same = all(len(set(commits[name].tolist())) == 1 for name in ("step", "sequence", "writer", "ranks"))
        records.append(commits if whole and same else None)
    return records


def _untouched(slot: int, before: list[Any], after: list[Any]) -> bool:
    """Whether nobody wrote to a slot while it was read.

    Writers turn to the slot of its kind, ring or synced, that is oldest. So what is not the oldest has not been
    touched; the oldest has not, if no record of any slot changed.
    """

    def same(k: int) -> bool:
        a, b = before[k], after[k]
        return (a is None) == (b is None) and (a is None or a.tobytes() == b.tobytes())

    if not same(slot):
        return False
    synced = len(after) - SYNCED_SLOTS
    kind = range(synced, len(after)) if slot >= synced else range(synced)
    others = [after[k] for k in kind if k != slot]
    oldest = all(o is not None and o[0]["sequence"] > after[slot][0]["sequence"] for o in others)
    return not oldest or all(same(k) for k in range(len(after)))
