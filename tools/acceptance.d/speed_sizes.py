"""Item 4: time and memory per atom do not depend on the size of the system."""

import measure


def sizes(report, names=tuple(measure.WATER), rounds=3, seconds=10):
    """CPU time per atom and step, and peak of memory beside GROMACS', of 4k to 1M atoms of water on 2 ranks"""
    runner = measure.Runner(report.work, 2, rounds, seconds, with_gromacs=True)
    costs = {}
    for name in names:
        found = runner.measure(name, measure.water(report.work / name, name), measure.WATER_SETTINGS, errors=False)
        costs[name] = found["cpu_us_per_atom_step"]
        report.note(f"{name}: atoms", found["atoms"])
        report.note(f"{name}: CPU time [us per atom and step]", costs[name])
        report.note(f"{name}: holon-md / gmx_mpi", found["ratio"])
        report.note(f"{name}: gmx_mpi, peak of memory [kB/atom]", found["gromacs_kB_per_atom"])
        report.at_most(f"{name}: peak of memory [kB/atom]", found["kB_per_atom"], found["gromacs_kB_per_atom"])
    report.at_most("most over least CPU time per atom and step", max(costs.values()) / min(costs.values()), 1.15)


CASES = {"4.sizes": sizes}
