"""Item 9: what constraints cost. Thread CPU time holds on a busy machine, too; waiting for others is part of it."""

import csv
import statistics

from support import holon_runner as holon

LYSOZYME = holon.input_files(holon.INPUTS / "lysozyme")
ALL_BONDS = [*LYSOZYME, "--constraints", "all-bonds"]
WITH_PME = [*ALL_BONDS, "--coulombtype", "PME"]  # as lysozyme is run, see tools/bench
QUIET = {"nstxout_compressed": 0, "nstenergy": 100, "checkpoint_interval": 1}
SHARE = 0.05
TURNS = 5


def table(report):
    """cost of the solvers for lysozyme, all-bonds, on 1, 2 and 4 ranks"""
    for ranks in (1, 2, 4):
        file = report.work / f"{ranks}.csv"
        arguments = [*ALL_BONDS, "--csv", file]
        result = holon.call("holon-bench-constraints", arguments, ranks, timeout=1800)
        report.check(f"{ranks} ranks: exit status", result.status == 0, result.status)
        with open(file) as text:
            rows = list(csv.DictReader(text))
        report.check(f"{ranks} ranks: solvers that failed", all(row["failed"] == "0" for row in rows), len(rows))
        for row in rows:
            if row["clusters"] != "larger clusters" or row["stage"] != "positions":
                continue
            if (row["solver"], row["setting"]) in {("lincs", "4/1"), ("newton", "exact")}:
                name = f"{ranks} ranks: {row['solver']} {row['setting']}"
                report.note(f"{name} [us per constraint]", float(row["us_per_constraint_mean"]))
                report.note(f"{name}: residual", float(row["residual"]))
                report.note(f"{name}: messages, bytes", f"{row['messages']}, {row['bytes']}")


def constrained(report, inputs, algorithm, integrator):
    """CPU time of the constraints in a step on 2 ranks, the fastest of many [ms per rank]."""
    file = report.work / f"{algorithm}-{integrator}.csv"
    options = ["--constraint-algorithm", algorithm, "--repeats", 100, "--solvers", "settle", "--csv", file]
    result = holon.call("holon-bench-constraints", [*inputs, "--integrator", integrator, *options], 2, timeout=1800)
    if result.status:
        raise holon.RunError(result.stderr)
    with open(file) as text:
        rows = [row for row in csv.DictReader(text) if row["clusters"] == "all, as in the run"]
    stages = ("positions", "velocities") if integrator == "md-vv" else ("positions",)
    return sum(float(row["cpu_max_us"]) for row in rows if row["stage"] in stages) / 1000


def share(report, inputs=ALL_BONDS, steps=200):
    """share of constraints in the CPU time of a step: lysozyme, all-bonds, 2 ranks"""
    # Waiting for a message is CPU time, too, and depends on what else the machine does. Constraints on 2 ranks are
    # therefore taken at their best, and the rest of the step from one rank, where nobody waits. The machine is not
    # always equally fast: what is compared was measured one after the other, and the median of several turns counts.
    for integrator in ("md", "md-vv"):
        for algorithm in ("lincs", "newton", "shake"):
            name = f"{algorithm}, {integrator}"
            settings = {"integrator": integrator, "constraint_algorithm": algorithm, "nsteps": steps, **QUIET}
            rest, ours = [], []
            for turn in range(TURNS):
                folder = report.work / f"{algorithm}-{integrator}-1-{turn}"
                alone = holon.run(folder, inputs, 1, timeout=3600, **settings).summary
                others = sum(s for stage, s in alone["cpu_timings_s"].items() if stage != "constraints")
                rest.append(1000 * others / steps / 2)
                ours.append(constrained(report, inputs, algorithm, integrator))
            shares = [c / (c + r) for c, r in zip(ours, rest)]
            for what, values in (("constraints", ours), ("the rest", rest)):
                figures = f"{statistics.median(values):.4g} ({min(values):.4g} to {max(values):.4g})"
                report.note(f"{name}: {what} [ms per step and rank]", figures)
            report.note(f"{name}: share of a step in a turn", f"{min(shares):.4f} to {max(shares):.4f}")
            report.at_most(f"{name}: share of a step", statistics.median(shares), SHARE)
            if algorithm != "lincs":
                continue
            both = holon.run(
                report.work / f"{algorithm}-{integrator}-2", inputs, 2, timeout=3600, **settings
            ).summary
            seconds = both["cpu_timings_s"]
            report.note(f"{name}: share with waiting", seconds["constraints"] / sum(seconds.values()))


def share_with_pme(report):
    """likewise with PME"""
    share(report, WITH_PME)


CASES = {"9.table": table, "9.share": share, "9.share-pme": share_with_pme}
