"""What md.log says of a run: its parameters, and the starts of the program that it consists of."""

import dataclasses
import re
from collections.abc import Iterator, Mapping


class Parameters(Mapping[str, str]):
    """Parameters in force, as text: parameters["tau-t"]. Case, - and _ do not matter."""

    def __init__(self, text: str) -> None:
        """text: lines `key = value`"""
        pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
        self._values = {_canonical(key): value.strip() for key, _, value in pairs}

    def __getitem__(self, key: str) -> str:
        return self._values[_canonical(key)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Parameters({self._values})"


def _canonical(key: str) -> str:
    return key.strip().lower().replace("_", "-")


@dataclasses.dataclass(frozen=True)
class Job:
    """One start of the program. What it did not live to say is None."""

    ranks: int
    status: str  # finished, stopped, or unfinished: it goes on, was killed or failed
    end_step: int | None
    seconds: float | None
    ns_per_day: float | None


START = re.compile(r"^holon-md \S+ on (\d+) ranks?\b.*$", re.MULTILINE)
END = re.compile(r"^(finished|stopped) at step (-?\d+) after ([\d.]+) s(?:: ([-+.\deinf]+) ns/day)?", re.MULTILINE)
SYSTEM = re.compile(r"^System: (.*): (\d+) atoms?, (\d+) molecules?", re.MULTILINE)


def parts_of(log: str) -> list[str]:
    """The text of each start of the program."""
    starts = [match.start() for match in START.finditer(log)]
    return [log[begin:end] for begin, end in zip(starts, [*starts[1:], len(log)])]


def jobs_of(log: str) -> list[Job]:
    jobs = []
    for part in parts_of(log):
        first = START.match(part)
        assert first
        if end := END.search(part):
            speed = float(end[4]) if end[4] else None
            jobs.append(Job(int(first[1]), end[1], int(end[2]), float(end[3]), speed))
        else:
            jobs.append(Job(int(first[1]), "unfinished", None, None, None))
    return jobs


def parameters_of(log: str) -> Parameters | None:
    """Those of the last start; None if there is none."""
    for part in reversed(parts_of(log)):
        if block := re.search(r"^Parameters:\n((?:[\w-]+ *=.*\n)+)", part, re.MULTILINE):
            return Parameters(block[1])
    return None


def title_of(log: str) -> str:
    """Title of the system; empty if the log does not say it."""
    found = SYSTEM.search(log)
    return found[1] if found else ""
