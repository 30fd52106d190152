"""Item 4: time and memory per atom do not depend on the size of the system."""

import measure


def sizes(report, names=tuple(measure.WATER), rounds=3, seconds=10):
    """CPU time per atom and step on 1 and 2 ranks, peak of memory beside GROMACS', of 4k to 1M atoms of water"""
    runners = {ranks: measure.Runner(report.work, ranks, rounds, seconds, with_gromacs=ranks == 2) for ranks in (1, 2)}
    costs = {ranks: [] for ranks in runners}
    for name in names:
        folder = measure.water(report.work / name, name)
        for ranks, runner in runners.items():
            found = runner.measure(name, folder, measure.WATER_SETTINGS, errors=False)
            costs[ranks].append(found["cpu_us_per_atom_step"])
            report.note(f"{name}, {ranks} ranks: CPU time [us per atom and step]", costs[ranks][-1])
        report.note(f"{name}: atoms", found["atoms"])
        report.note(f"{name}: holon-md / gmx_mpi", found["ratio"])
        report.note(f"{name}: gmx_mpi, peak of memory [kB/atom]", found["gromacs_kB_per_atom"])
        report.at_most(f"{name}: peak of memory [kB/atom]", found["kB_per_atom"], found["gromacs_kB_per_atom"])
    for ranks, found in costs.items():
        report.at_most(f"{ranks} ranks: most over least CPU time per atom and step", max(found) / min(found), 1.15)


CASES = {"4.sizes": sizes}
