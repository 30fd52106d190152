"""Item 2: speed and memory beside those of another build. HOLON_REFERENCE_BIN is the folder of its programs."""

import os
import statistics

import house_bits
import measure
from support import holon_runner as holon


def speed_of(summary):
    return (summary["end_step"] - summary["start_step"]) / summary["wall_s"]


def case(system, rounds=3, seconds=7):
    def run(report):
        reference_bin = os.environ.get("HOLON_REFERENCE_BIN")
        if not reference_bin:
            raise holon.RunError("HOLON_REFERENCE_BIN must name the folder of the other build's programs")
        folder = holon.SHARED_SYSTEMS / system
        runner = measure.Runner(report.work, 2, rounds, seconds)
        steps = runner.steps_for(report.work, folder, {})
        ours, theirs = [], []
        for _ in range(rounds):
            theirs.append(house_bits.with_programs(reference_bin, runner.run_holon, report.work, folder, {}, steps))
            ours.append(runner.run_holon(report.work, folder, {}, steps))
        for name, runs in (("that build", theirs), ("this build", ours)):
            report.note(f"{name}: steps/s, each", " ".join(f"{speed_of(run):.4g}" for run in runs))
        ratios = [speed_of(a) / speed_of(b) for a, b in zip(ours, theirs)]
        report.at_least("speed, median of the ratios in turns", statistics.median(ratios), 0.99)
        peaks = [statistics.median(run["peak_kB"] for run in runs) for runs in (ours, theirs)]
        report.at_most("peak of memory, ratio", peaks[0] / peaks[1], 1.01)

    run.__doc__ = f"speed and memory: {system} as it is on 2 ranks, in turns with the other build, {rounds} rounds"
    return run


CASES = {f"2.{system}": case(system) for system in ("dhfr", "lysozyme", "spce-23262")}
