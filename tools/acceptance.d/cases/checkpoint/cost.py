"""Item 3: what a checkpoint of every step costs. The shares of CPU time hold on a busy machine, too; the speeds need a
quiet one."""

import math
import shutil
import statistics

from support import holon_runner as holon
from support import systems

INTERVALS = {"every step": 1, "every 10": 10, "every 100": 100, "off": 0}
LIMIT, GOAL = 0.03, 0.015  # of the CPU time
PRECISION, MOST_TURNS = 0.015, 25  # of a loss of speed
QUIET = {"nstxout_compressed": 0, "nstenergy": 0, "nstlog": 0}


def lysozyme(_):
    return holon.input_files(holon.INPUTS / "lysozyme")


def million(report):
    systems.replicate(holon.INPUTS / "spce", report.work, (6, 6, 8))
    return holon.input_files(report.work)


def share(summary):
    """Part of the CPU time of all ranks that checkpoints take: waiting, copying, helper threads."""
    cost = summary["checkpoint"]
    return (cost["blocked_s"] + cost["pack_s"] + cost["helper_cpu_s"]) / summary["cpu_s"]


def cost(make_input, steps, what):
    def run(report):
        arguments = make_input(report)
        for name, interval in INTERVALS.items():
            if interval > steps or not interval:
                continue
            result = holon.run(
                report.work / f"run-{interval}", arguments, 2, nsteps=steps, checkpoint_interval=interval, **QUIET
            ).summary
            figures = result["checkpoint"]
            per_rank_and_state = 1000 / (2 * figures["written"])
            for part in ("blocked_s", "pack_s", "helper_cpu_s"):
                report.note(f"{name}: {part} [ms per rank and state]", figures[part] * per_rank_and_state)
            report.note(f"{name}: CPU time of a step [ms per rank]", 500 * result["cpu_s"] / steps)
            report.at_most(f"{name}: share of the CPU time", share(result), LIMIT)
            if interval == 1:
                report.note(f"{name}: goal of {GOAL} reached", share(result) <= GOAL)
                report.note("bytes per step", figures["bytes_per_step"])

    run.__doc__ = f"cost: {what}, shares of CPU time"
    return run


def steps_of(folder, arguments, seconds):
    """As many steps as take so long, by runs of increasing length: the first steps of a run are slow."""
    steps = 10
    while True:
        wall = holon.run(folder, arguments, 2, nsteps=steps, checkpoint_interval=0, overwrite=None, **QUIET).summary[
            "wall_s"
        ]
        if wall >= seconds:
            return steps
        steps = math.ceil(steps * max(1.1, 1.05 * seconds / wall))


def standard_error(values):
    """Of the median, from the median deviation: of a normal distribution that is 0.674 standard deviations."""
    median = statistics.median(values)
    deviation = statistics.median(abs(value - median) for value in values)
    return 1.253 * deviation / 0.674 / math.sqrt(len(values))


def speed(make_input, seconds, turns, slices, what):
    def run(report):
        arguments = make_input(report)
        steps = steps_of(report.work / "trial", arguments, seconds / slices)
        speeds = {name: [] for name in INTERVALS}
        shares, slower = [], []

        def take(name):
            folder = report.work / f"run-{INTERVALS[name]}"
            result = holon.run(
                folder, arguments, 2, timeout=3600, nsteps=steps, checkpoint_interval=INTERVALS[name], **QUIET
            ).summary
            shutil.rmtree(folder)
            if name == "every step":
                shares.append(share(result))
            return result["ns_per_day"]

        # The machine drifts by more than what is to be seen: within a turn the ways are taken in slices, first the one
        # first and then the other, and there are more turns until the median of their differences is known.
        while len(slower) < turns or (standard_error(slower) > PRECISION and len(slower) < MOST_TURNS):
            ways = ["every step", "off"]
            if len(slower) < turns:
                ways += ["every 10", "every 100"]
            of_slices = {name: [] for name in ways}
            for number in range(slices):
                for name in ways if (len(slower) + number) % 2 == 0 else reversed(ways):
                    of_slices[name].append(take(name))
            for name, found in of_slices.items():
                speeds[name].append(statistics.harmonic_mean(found))
            slower.append(1 - speeds["every step"][-1] / speeds["off"][-1])
        report.note("steps of a slice, slices of a turn", f"{steps}, {slices}")
        for name, values in speeds.items():
            figures = f"{statistics.median(values):.4g} ({min(values):.4g} to {max(values):.4g}, {len(values)} turns)"
            report.note(f"{name} [ns/day]", figures)
        report.at_most("every step: share of the CPU time", statistics.median(shares), LIMIT)
        loss, error = statistics.median(slower), standard_error(slower)
        report.note("every step slower than off, of the same turn: median", loss)
        report.at_most("its standard error", error, PRECISION)
        report.at_most("every step slower than off, beyond two standard errors", loss - 2 * error, LIMIT)

    run.__doc__ = f"cost: {what}, at least {turns} turns of {seconds} s each way in slices; on a quiet machine"
    return run


CASES = {
    "3.cost-lysozyme": cost(lysozyme, 200, "lysozyme, 2 ranks"),
    "3.cost-million": cost(million, 100, "1.1 million atoms of water, 2 ranks"),
    "3.speed-lysozyme": speed(lysozyme, 20, 5, 5, "lysozyme, 2 ranks"),
    "3.speed-million": speed(million, 20, 5, 1, "1.1 million atoms of water, 2 ranks"),
}
