"""Item 4: time and memory per atom do not depend on the size of the system."""

import statistics

import builds
import measure

RANKS = (1, 2)
MOST_OVER_LEAST = 1.15


def memory(report, names=tuple(measure.WATER), seconds=10):
    """peak of memory per atom on 2 ranks beside GROMACS', of 4k to 1M atoms of water"""
    runner = measure.Runner(report.work, 2, 1, seconds, builds=builds.required())
    for name in names:
        folder = measure.water(report.work / name, name)
        found = runner.measure(name, folder, measure.WATER_SETTINGS, errors=False)
        report.note(f"{name}: atoms", found["atoms"])
        report.note(f"{name}: holon-md / gmx_mpi, one run each", found["ratio"])
        report.note(f"{name}: gmx_mpi, peak of memory [kB/atom]", found["gromacs_kB_per_atom"])
        report.at_most(f"{name}: peak of memory [kB/atom]", found["kB_per_atom"], found["gromacs_kB_per_atom"])


def cost(report, names=tuple(measure.WATER), rounds=5, seconds=10):
    """CPU time per atom and step on 1 and 2 ranks, of 4k to 1M atoms of water in turns"""
    # The machine drifts by more than what is to be seen: sizes are compared within a round, in changing order.
    for ranks in RANKS:
        runner = measure.Runner(report.work / f"{ranks}", ranks, rounds, seconds)
        folders = {name: measure.water(report.work / name, name) for name in names}
        steps = {name: runner.steps_for(folders[name], folders[name], measure.WATER_SETTINGS) for name in names}
        runs = {name: [] for name in names}
        for turn in range(rounds):
            for name in names if turn % 2 == 0 else reversed(names):
                folder = folders[name]
                runs[name].append(runner.run_holon(folder, folder, measure.WATER_SETTINGS, steps[name]))
        costs = {
            name: [1e6 * run["cpu_s"] / run["atoms"] / (run["end_step"] - run["start_step"]) for run in found]
            for name, found in runs.items()
        }
        means = [statistics.mean(found[turn] for found in costs.values()) for turn in range(rounds)]
        relative = {}
        for name, found in costs.items():
            relative[name] = statistics.median(each / mean for each, mean in zip(found, means))
            figures = f"{statistics.median(found):.4g} ({min(found):.4g} to {max(found):.4g})"
            report.note(f"{name}, {ranks} ranks: CPU time [us per atom and step]", figures)
            report.note(f"{name}, {ranks} ranks: over the mean of the sizes in a round, median", relative[name])
        most_over_least = max(relative.values()) / min(relative.values())
        report.at_most(f"{ranks} ranks: most over least of these", most_over_least, MOST_OVER_LEAST)


CASES = {"4.memory": memory, "4.cost": cost}
