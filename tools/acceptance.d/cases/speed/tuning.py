"""Item 6: tools/tune finds a layout within 3 % of the best of an exhaustive search; on a quiet machine."""

import dataclasses
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
    def run(report, system="dhfr", rounds=5, seconds=10):
        folder, found = holon.SHARED_SYSTEMS / system, report.work / "tuned.json"
        words = [sys.executable, holon.ROOT / "tools" / "tune", folder, "--ranks", ranks, "--json", found]
        words += ["--cores", max(ranks, builds.cores()), "--seconds", seconds]
        subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL)
        chosen = json.loads(found.read_text())["fastest"]
        chosen = search.Layout(ranks, chosen["threads"], tuple(map(int, chosen["domains"].split("x"))), chosen["mesh_ranks"])
        report.note("chosen", str(chosen))
        runner = measure.Runner(report.work, ranks, rounds, seconds)
        layouts = [dataclasses.replace(layout, threads=chosen.threads) for layout in search.all_of(ranks, [ranks])]
        layouts += [fewer for layout in layouts for fewer in layout.with_fewer_mesh_ranks]
        speeds = {layout: [] for layout in layouts}
        steps = {}
        for turn in range(rounds):
            for layout in layouts if turn % 2 == 0 else reversed(layouts):
                settings = layout.keys
                steps[layout] = steps.get(layout) or runner.steps_for(report.work, folder, settings)
                speeds[layout].append(runner.run_holon(report.work, folder, settings, steps[layout])["ns_per_day"])
        means = [statistics.mean(found[turn] for found in speeds.values()) for turn in range(rounds)]
        relative = {
            layout: statistics.median(speed / mean for speed, mean in zip(found, means)) for layout, found in speeds.items()
        }
        for layout, found in speeds.items():
            report.note(f"{layout} [ns/day]", " ".join(f"{speed:.4g}" for speed in found))
        best = max(relative.values())
        report.at_least("chosen / best of all", relative[chosen] / best, LEAST_OF_BEST)

    run.__doc__ = f"tools/tune on {ranks} ranks beside an exhaustive search of domains and mesh ranks, dhfr"
    return run


CASES = {f"6.tune-{ranks}": tune(ranks) for ranks in (1, 2, 4)}
