"""Item 5: strong scaling on paper, from costs measured here on one core, and the model against published runs."""

import gromacs_check
import machines
import measure
import model

CORES = (128, 1024, 8192, 32768, 98304)


def check(report):
    """The model of scaling with GROMACS' costs against published runs of GROMACS"""
    for name, nodes, atoms, _, _, ratio in gromacs_check.rows():
        limit = gromacs_check.accuracy(name, atoms)
        figure = f"{name}, {nodes} nodes: model / published"
        report.check(figure, 1 / limit <= ratio <= limit, ratio, f"within {limit:g}")
    report.at_most("copies of 3072 domains: |counted / log - 1|", abs(gromacs_check.copies_ratio() - 1), 0.05)


def runs_on_one_core(report, seconds):
    """Summaries of runs of several sizes and mesh accuracies, which tell atoms, copies and grid points apart."""
    runner = measure.Runner(report.work, 1, 1, seconds)
    summaries = []
    for size in ("4k", "23k", "100k"):
        folder = measure.water(report.work / size, size)
        for accuracy in (0, 1e-4):
            settings = {**measure.WATER_SETTINGS, "mesh_accuracy": accuracy, "checkpoint_interval": 0}
            summaries.append(runner.timed(folder, folder, settings))
    return summaries


def projection(report, seconds=10):
    """Projection of 1 M and 100 M atoms of water to 100,000 cores; on a quiet machine"""
    runs = runs_on_one_core(report, seconds)
    costs, of_runs = model.fit_costs(runs), model.water_of(runs)
    for name, value in of_runs.items():
        report.note(f"water: {name}", str(value))
    for part in ("atom", "copy", "mesh_atom", "point"):
        report.note(f"measured: {part} [us per step]", 1e6 * getattr(costs, part))
    for atoms in (10**6, 10**8):
        first = None
        for cores in CORES:
            if atoms / cores < 20:
                continue
            system = model.water(atoms, **of_runs)
            parts, _ = model.step(system, costs, machines.ARCHER2, cores)
            total = sum(parts.values())
            first = first or total * cores
            where = f"projected: {atoms:.0e} atoms, {cores} cores"
            report.note(f"{where} [ns/day]", model.ns_per_day(system, total))
            report.note(f"{where}: efficiency", first / (total * cores))


CASES = {"5.check": check, "5.projection": projection}
