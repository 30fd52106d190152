"""The same bits whatever the ranks: runs of one input on several rank counts and domain grids, and what differs.

Shared by same_bits_test.py, restart_test.py and tools/acceptance.
"""

import random
import re
import time

from support import holon_runner as holon
from support import trajectories

# Ranks and the domain grid, None: chosen by the program.
LAYOUTS = [(1, None), (2, None), (3, None), (4, None), (6, None), (8, None), (4, "4x1x1"), (6, "1x2x3"), (8, "1x1x8")]

# glibc is told that the processor has neither FMA nor AVX, and takes other variants of exp, log, sin and cos.
OLD_C_LIBRARY = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX"}


def hashes(work, arguments, layouts=LAYOUTS, **settings):
    """State hash after a run of each layout: {"3": ..., "6 1x2x3": ...}."""
    found = {}
    for ranks, domains in layouts:
        name = f"{ranks} {domains}" if domains else str(ranks)
        grid = {"domains": domains} if domains else {}
        found[name] = holon.run(work / name.replace(" ", "-"), arguments, ranks, **settings, **grid).state_hash
    return found


def instruction_sets():
    """The environments that choose the instruction sets that this machine has, by their names."""
    environments = {name: {"HOLON_INSTRUCTION_SET": name} for name in ("baseline", "v3", "v4")}
    return {
        name: environment
        for name, environment in environments.items()
        if holon.call("holon-md", ["--version"], environment=environment).status == holon.FINISHED
    }


def split_run(work, arguments, steps, first=2, second=3, **settings):
    """Runs half of `steps` on `first` ranks and the rest on `second`; returns the last Result."""
    holon.run(work, arguments, first, nsteps=steps // 2, **settings)
    return holon.run(work, ["--restart", work / "checkpoint.h5"], second, nsteps=steps)


def killed_run(work, arguments, steps, kills, ranks=2, seed=1, longest=3.0, **settings):
    """Kills every rank at random moments, `kills` times, and goes on each time; returns the Result of the last start.

    `longest`: upper bound of the time from a start's first write to its end [s]. The rank count changes at each start.
    A kill counts if its start had come further than the one before; the file is read only when the ranks are dead, as they
    may leave holon-inspect no processor. Raises RunError if a start ended before it was killed, the run then being too
    short to show anything, or if hardly any came further.
    """
    rng = random.Random(seed)
    checkpoint, trajectory = work / "checkpoint.h5", work / "trajectory.h5md"
    resume = [*arguments, "--resume", "-o", work, *holon.options({"nsteps": steps, **settings})]
    reached = [0]  # after each kill that counts
    for start in range(10 * kills):
        launcher = holon.start(resume, ranks + start % 2)
        wait_for_progress(checkpoint, launcher)
        time.sleep(rng.uniform(0.0, longest))
        if launcher.poll() is not None:
            raise holon.RunError(f"start {start + 1} ended with status {launcher.returncode} before it was killed")
        holon.kill_ranks(launcher)
        launcher.wait(timeout=60)
        if trajectory.exists():  # it is begun after the checkpoint
            trajectories.steps(trajectory)
        step = reached_step(checkpoint)
        if step > reached[-1]:
            reached.append(step)
        if len(reached) > kills:
            return holon.run(work, [*arguments, "--resume"], ranks + 1, nsteps=steps, **settings)
    raise holon.RunError(f"{10 * kills} starts were killed, of which {len(reached) - 1} came further than the one before")


def reached_step(checkpoint):
    """The last step of a checkpoint, to which a run may be writing; -1 if there is none."""
    steps = re.findall(r"^ +\d+ +\w+ +(\d+) ", holon.call("holon-inspect", [checkpoint]).stdout, re.MULTILINE)
    return max(map(int, steps), default=-1)


def wait_for_progress(checkpoint, launcher, timeout=120):
    """Waits until the run writes to its checkpoint."""

    def stamp():
        return checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0

    before = stamp()
    wait_for(lambda: stamp() != before, launcher, timeout)


def wait_for(condition, launcher, timeout):
    """Waits until a run that goes on has come so far; RunError if it ends before, or takes longer than `timeout` [s]."""
    deadline = time.monotonic() + timeout
    while not condition():
        if launcher.poll() is not None or time.monotonic() > deadline:
            raise holon.RunError(f"no checkpoint written; exit status {launcher.poll()}")
        time.sleep(0.01)
