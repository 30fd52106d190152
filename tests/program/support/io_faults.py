"""Has calls to the file system fail, one at a time, and checks what becomes of the run.

A scenario is one call of holon-md: a start, a restart, ... A first run counts the calls by which a rank reads and writes
input and output; then the scenario is run again for each of them, which fails (tests/faults/io_faults.cpp). Shared by
io_faults_test.py and tools/acceptance.
"""

import concurrent.futures
import dataclasses
import filecmp
import itertools
import shutil

from support import holon_runner as holon
from support import trajectories
from support.chaos import Violation, require

LIBRARY = holon.BIN.parent / "lib" / "libholon_io_faults.so"
STEPS = 4
SETTINGS = {"nstxout_compressed": 1, "nstenergy": 1, "nstlog": 1}
STOP = {"maxh": 1e-9}  # after a step
NO_LIMIT = {"maxh": -1}
PATIENCE = 180  # s until something that must end counts as hanging

# Kinds of faults: that of the library, and whether the fault lasts.
KINDS = {
    "EIO": ("EIO", False),
    "EIO from then on": ("EIO", True),
    "ENOSPC": ("ENOSPC", False),
    "ENOSPC from then on": ("ENOSPC", True),
    "short": ("short", False),
    "SIGBUS": ("SIGBUS", False),
}
SPACE = {"write", "pwrite", "fwrite", "fflush", "fclose", "ftruncate", "posix_fallocate", "fsync", "fdatasync", "msync"}
NAMES = {"open", "openat", "fopen", "mkdir", "rename"}  # these may need space, too


def applies(kind, call):
    """Whether a fault of a kind does anything to a call of a name."""
    if kind == "short":
        return call in ("read", "pread", "write", "pwrite")
    return call in SPACE | NAMES if kind.startswith("ENOSPC") else True


@dataclasses.dataclass
class Call:
    number: int
    name: str
    path: str


@dataclasses.dataclass
class Tally:
    """What became of runs with a fault."""

    calls: int = 0
    runs: int = 0
    hit: int = 0
    survived: int = 0
    bad_input: int = 0
    failed: int = 0
    violations: list = dataclasses.field(default_factory=list)

    def add(self, other):
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def text(self):
        return (
            f"{self.calls} calls, {self.hit} faults in {self.runs} runs: {self.survived} survived, "
            f"{self.bad_input} refused (2), {self.failed} failed (3), {len(self.violations)} violations"
        )


class Faults:
    """Runs of a small system in the folder `work`, and what they lead to without faults."""

    def __init__(self, work, system=holon.INPUTS / "argon"):
        self.work, self.system = work, system
        self.input = holon.input_files(system)
        self.whole = holon.run(work / "whole", self.input, 2, nsteps=STEPS, **SETTINGS)
        self.hashes = {
            step: holon.run(work / f"steps-{step}", self.input, 2, nsteps=step, **SETTINGS).state_hash
            for step in range(1, STEPS + 1)
        }
        holon.run(work / "stopped", self.input, 2, nsteps=STEPS, status=holon.STOPPED, **SETTINGS, **STOP)
        self.scenarios = {
            "start": Scenario(self, None, [*self.input, "-o", "FOLDER"], {"nsteps": STEPS, **SETTINGS}),
            "longer": Scenario(self, "steps-2", ["--restart", "FOLDER/checkpoint.h5"], {"nsteps": STEPS}),
            "resume": Scenario(self, "stopped", ["--restart", "FOLDER/checkpoint.h5"], STOP),
            "branch": Scenario(
                self, "stopped", ["--restart", "FOLDER/checkpoint.h5", "-o", "FOLDER/branch"], {"nsteps": 3, **NO_LIMIT}
            ),
        }


class Scenario:
    """One call of holon-md on a folder that is first made like `before`, a folder of the same work (None: nothing)."""

    def __init__(self, faults, before, arguments, settings):
        self.faults, self.before, self.arguments, self.settings = faults, before, arguments, settings

    def prepare(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        if self.before:
            shutil.copytree(self.faults.work / self.before, folder)

    def call(self, folder, **environment):
        words = [str(word).replace("FOLDER", str(folder)) for word in self.arguments]
        environment = {f"HOLON_FAULT_{name.upper()}": str(value) for name, value in environment.items()}
        if environment:
            environment |= holon.preload(LIBRARY)
            environment["HOLON_FAULT_PATHS"] = f"{folder}:{self.faults.system}"
        words += holon.options(self.settings)
        return holon.call("holon-md", words, 2, PATIENCE, folder=folder, environment=environment)

    def count(self, folder, rank):
        """The calls of a rank, in their order."""
        self.prepare(folder)
        log = folder.parent / f"{folder.name}.log"
        log.unlink(missing_ok=True)
        result = self.call(folder, rank=rank, log=log)
        require(result.status in (holon.FINISHED, holon.STOPPED), f"without faults: {result.stderr}")
        lines = [line.split(" ", 2) for line in log.read_text().splitlines()]
        return [Call(int(number), name, path.replace(str(folder), "FOLDER")) for number, name, path in lines]

    def run(self, folder, rank, call, kind):
        """The call of that number fails. Returns the Tally."""
        self.prepare(folder)
        log = folder.parent / f"{folder.name}.log"
        log.unlink(missing_ok=True)
        fault, lasting = KINDS[kind]
        tally = Tally(runs=1)
        try:
            result = self.call(folder, rank=rank, log=log, kind=fault, at=call.number, lasting=int(lasting))
        except holon.RunError as error:
            raise Violation(f"hangs: {str(error)[-1000:]}") from None
        failed = [line.removesuffix(" fails") for line in log.read_text().splitlines() if line.endswith(" fails")]
        tally.hit = int(bool(failed))
        tally.survived = int(result.status in (holon.FINISHED, holon.STOPPED))
        tally.bad_input = int(result.status == holon.BAD_INPUT)
        tally.failed = int(result.status == holon.FAILED)
        require(tally.survived + tally.bad_input + tally.failed, f"exit status {result.status}: {result.stderr}")
        if tally.survived:
            self.check_survived(folder, result)
        else:
            self.check_message(folder, result)
        self.check_goes_on(folder, result, failed[0] if failed else "")  # a thread may have come in between
        return tally

    def check_survived(self, folder, result):
        out = self.output(folder)
        summary = holon.summary_of(out)
        expected = self.faults.hashes[summary["end_step"]]
        require(summary["state_hash"] == expected, f"exit status {result.status} and another state")

    def check_message(self, folder, result):
        messages = holon.messages(result.stderr)
        require(len(messages) == 1, f"not one message but {len(messages)}: {result.stderr}")
        named = str(folder) in messages[0] or str(self.faults.system) in messages[0]
        require(named, f"the message names no file: {messages[0]}")

    def output(self, folder):
        return folder / "branch" if any("branch" in str(word) for word in self.arguments) else folder

    def check_goes_on(self, folder, result, failed):
        """What is left can be gone on from, or begun anew where nothing had been written, and nothing is lost."""
        out, whole = self.output(folder), self.faults.whole.folder
        if out != folder:
            self.check_untouched(folder)
            return
        steps, limit = {"nsteps": STEPS}, NO_LIMIT if self.settings is STOP else {}
        words = self.arguments if self.before else [*self.arguments, "--resume"]
        words = [str(word).replace("FOLDER", str(folder)) for word in words]
        first = {} if self.before else SETTINGS
        again = holon.call("holon-md", [*words, *holon.options({**first, **steps, **limit})], 1, PATIENCE)
        story = f"{result.stderr}\nand then: {again.stderr}"
        require(again.status == holon.FINISHED, f"cannot go on, exit status {again.status}: {story}")
        summary = holon.summary_of(folder)
        require(summary["state_hash"] == self.faults.whole.state_hash, f"goes on to another state: {story}")
        require(summary["start_step"] >= self.steps_before(), f"from step {summary['start_step']}: {story}")
        problem = trajectories.differing_frames(folder / "trajectory.h5md", whole / "trajectory.h5md")
        require(not problem, f"{problem}: {story}")
        same = (folder / "energy.csv").read_text() == (whole / "energy.csv").read_text()
        require(same, f"energy.csv differs: {story}")
        if failed.endswith("md.log"):  # a run goes on without a log that cannot be written
            return
        logged = trajectories.logged_steps(folder / "md.log")
        require(set(range(STEPS + 1)) <= set(logged), f"md.log has the tables of steps {logged}: {story}")

    def steps_before(self):
        return holon.summary_of(self.faults.work / self.before)["end_step"] if self.before else 0

    def check_untouched(self, folder):
        """A branch changes nothing of the run that it comes from."""
        before = self.faults.work / self.before
        for path in before.iterdir():
            require(filecmp.cmp(path, folder / path.name, shallow=False), f"{path.name} has changed")


def fail_calls(faults, name, ranks, kinds, every=1, first=0, jobs=1, tell=None):
    """Runs a scenario with each `every`-th fault of some kinds in calls of some ranks. Returns the Tally."""
    scenario, total = faults.scenarios[name], Tally()
    todo = []
    for rank in ranks:
        calls = scenario.count(faults.work / f"{name}-{rank}", rank)
        total.calls += len(calls)
        todo += [(rank, call, kind) for kind in kinds for call in calls if applies(kind, call.name)]
    todo = todo[first::every]
    places = itertools.count()

    def one(task):
        rank, call, kind = task
        folder = faults.work / f"{name}-run-{next(places)}"
        try:
            return scenario.run(folder, rank, call, kind)
        except (Violation, OSError, KeyError, ValueError) as problem:
            text = f"{name}: {kind} in call {call.number} of rank {rank}, {call.name} {call.path}: {problem}"
            if tell:
                tell(text)
            return Tally(runs=1, violations=[text])
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for tally in pool.map(one, todo):
            total.add(tally)
    return total
