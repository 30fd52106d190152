"""Item 6: tools/tune finds a layout within 3 % of the best of an exhaustive search; on a quiet machine."""

import json
import statistics
import subprocess
import sys

import builds
import measure
import search
from support import holon_runner as holon

LEAST_OF_BEST = 0.97


def tune(ranks):
    def run(report, system="dhfr", rounds=3, seconds=10):
        folder, found = holon.SHARED_SYSTEMS / system, report.work / "tuned.json"
        words = [sys.executable, holon.ROOT / "tools" / "tune", folder, "--ranks", ranks, "--json", found]
        words += ["--cores", max(ranks, builds.cores()), "--seconds", seconds]
        subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL)
        chosen = json.loads(found.read_text())["fastest"]
        report.note("chosen", f"{chosen['ranks']} ranks, {chosen['threads']} threads, {chosen['domains']}")
        runner = measure.Runner(report.work, ranks, rounds, seconds)
        grids = [layout.grid for layout in search.all_of(ranks, [ranks])]
        speeds = {grid: [] for grid in grids}
        steps = {}
        for turn in range(rounds):
            for grid in grids if turn % 2 == 0 else reversed(grids):
                settings = {"domains": grid}
                steps[grid] = steps.get(grid) or runner.steps_for(report.work, folder, settings)
                speeds[grid].append(runner.run_holon(report.work, folder, settings, steps[grid])["ns_per_day"])
        means = [statistics.mean(found[turn] for found in speeds.values()) for turn in range(rounds)]
        relative = {
            grid: statistics.median(speed / mean for speed, mean in zip(found, means)) for grid, found in speeds.items()
        }
        for grid, found in speeds.items():
            report.note(f"{grid} [ns/day]", " ".join(f"{speed:.4g}" for speed in found))
        best = max(relative.values())
        report.at_least("chosen / best of all", relative[chosen["domains"]] / best, LEAST_OF_BEST)

    run.__doc__ = f"tools/tune on {ranks} ranks beside an exhaustive search of the grids of domains, dhfr"
    return run


CASES = {f"6.tune-{ranks}": tune(ranks) for ranks in (1, 2, 4)}
