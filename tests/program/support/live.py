"""Takes states out of the checkpoint of a run that goes on, and looks whether each is the state that it says it is.
Shared by live_test.py and tools/acceptance.
"""

import dataclasses
import pathlib
import re
import shutil
import time

from support import holon_runner as holon

NO_OUTPUT = {"nstxout_compressed": 0, "nstenergy": 0, "nstlog": 0}


@dataclasses.dataclass
class Taken:
    """What one command took out of a file: a state that is called that of `step`, with its hash or its .gro text."""

    what: str
    step: int
    content: str


@dataclasses.dataclass
class Outcome:
    taken: list = dataclasses.field(default_factory=list)
    refused: list = dataclasses.field(default_factory=list)  # messages
    wrong: list = dataclasses.field(default_factory=list)  # what should not have come, as text


def eight_atoms(folder):
    """The file options of eight argon atoms in the box of many: the fastest steps that there are."""
    folder.mkdir(parents=True, exist_ok=True)
    source = holon.INPUTS / "argon"
    lines = (source / "conf.gro").read_text().splitlines()
    (folder / "conf.gro").write_text("\n".join([lines[0], "8", *lines[2:10], lines[-1]]) + "\n")
    topology = (source / "topol.top").read_text()
    (folder / "topol.top").write_text(re.sub(r"^AR +864$", "AR 8", topology, flags=re.MULTILINE))
    shutil.copy(source / "md.mdp", folder)
    return holon.input_files(folder)


class LiveRun:
    """A run that writes its checkpoint as fast as it can, until the block ends. `settings` as those of holon.run()."""

    def __init__(self, folder, arguments, ranks, **settings):
        self.checkpoint = folder / "checkpoint.h5"
        words = holon.options({"nsteps": -1, **NO_OUTPUT, **settings})
        self.launcher = holon.start([*arguments, "-o", folder, *words], ranks)

    def __enter__(self):
        log = self.checkpoint.parent / "md.log"  # opened after the checkpoint
        end = time.monotonic() + 60
        while not log.exists():
            if self.launcher.poll() is not None or time.monotonic() > end:
                raise holon.RunError(f"{self.checkpoint.parent}: the run has not begun")
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        alive = self.launcher.poll() is None
        holon.kill_ranks(self.launcher)
        self.launcher.wait()
        if not alive:
            raise holon.RunError(f"{self.checkpoint.parent}: the run has ended by itself")


def judge(result, outcome, what, taken):
    """Files what a command did: a state (taken() gives step and content), or a refusal with one message."""
    if result.status in (holon.FINISHED, holon.STOPPED):
        outcome.taken.append(Taken(what, *taken()))
    elif result.status == holon.BAD_INPUT and len(result.stderr.strip().splitlines()) == 1:
        outcome.refused.append(f"{what}: {result.stderr.strip()}")
    else:
        outcome.wrong.append(f"{what}: status {result.status}: {result.stdout[-500:]}{result.stderr[-500:]}")


def branch(checkpoint, folder, outcome):
    result = holon.call("holon-inspect", [checkpoint, "--branch", folder])

    def taken():
        listed = holon.call("holon-inspect", [folder / "checkpoint.h5"]).stdout
        (found,) = re.findall(r"^ +\d+  (?:ring|synced) +(\d+) .* (\w{16}) *$", listed, re.MULTILINE)
        shutil.rmtree(folder)
        return int(found[0]), found[1]

    judge(result, outcome, "branch", taken)


def gro(checkpoint, path, outcome):
    result = holon.call("holon-inspect", [checkpoint, "--gro", path])

    def taken():
        text = path.read_text()
        path.unlink()
        return int(re.search(r"step= (\d+)$", text.splitlines()[0])[1]), text

    judge(result, outcome, "gro", taken)


def restart(checkpoint, folder, ranks, outcome):
    """In a folder of its own, where it ends after a step or a few."""
    words = ["--restart", checkpoint, "-o", folder, "--maxh", "1e-6"]
    result = holon.call("holon-md", words, ranks, folder=folder)

    def taken():
        summary = result.summary
        shutil.rmtree(folder)
        return summary["end_step"], summary["state_hash"]

    judge(result, outcome, f"restart on {ranks}", taken)


def compare(work, arguments, outcome, ranks=1):
    """Compares what has been taken with a run that nobody looked at while it went on: it stops at each of the steps."""
    words = arguments
    for step in sorted({taken.step for taken in outcome.taken}):
        result = holon.run(work / "reference", words, ranks, timeout=3600, nsteps=step, **NO_OUTPUT)
        words = ["--restart", result.folder / "checkpoint.h5"]
        path = work / "reference.gro"
        holon.call("holon-inspect", [result.folder / "checkpoint.h5", "--gro", path])
        right = (result.state_hash, path.read_text())
        for taken in outcome.taken:
            if taken.step == step and taken.content not in right:
                outcome.wrong.append(f"{taken.what}: not the state of step {step}")


def take_many(work, arguments, writers, counts, reader_ranks=(1, 2, 4), **settings):
    """The Outcome of so many branches, .gro files and restarts of a run on `writers` ranks."""
    outcome = Outcome()
    branches, gros, restarts = counts
    with LiveRun(pathlib.Path(work) / f"live{writers}", arguments, writers, **settings) as live:
        for _ in range(branches):
            branch(live.checkpoint, work / "branch", outcome)
        for _ in range(gros):
            gro(live.checkpoint, work / "live.gro", outcome)
        for k in range(restarts):
            restart(live.checkpoint, work / "other", reader_ranks[k % len(reader_ranks)], outcome)
    return outcome
