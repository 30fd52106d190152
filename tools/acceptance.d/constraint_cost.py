"""Item 9: what constraints cost. Thread CPU time holds on a busy machine, too; waiting for others is part of it."""

import csv

import holon_runner as holon

LYSOZYME = holon.input_files(holon.INPUTS / "lysozyme")
SHARE = 0.05


def table(report):
    """cost of the solvers for lysozyme, all-bonds, on 1, 2 and 4 ranks"""
    for ranks in (1, 2, 4):
        file = report.work / f"{ranks}.csv"
        arguments = [*LYSOZYME, "--constraints", "all-bonds", "--csv", file]
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


def share(report, steps=400):
    """share of constraints in the CPU time of a step: lysozyme, all-bonds, 2 ranks"""
    for algorithm in ("lincs", "newton", "shake"):
        result = holon.run(
            report.work / algorithm,
            LYSOZYME,
            2,
            nsteps=steps,
            constraints="all-bonds",
            constraint_algorithm=algorithm,
            timeout=1800,
            nstxout_compressed=0,
            nstenergy=100,
        ).summary
        seconds = result["cpu_timings_s"]["constraints"]
        # Of all threads of all ranks, with what no stage counts.
        total = result["cpu_s"] / result["ranks"]
        report.note(f"{algorithm}: constraints [ms per step and rank]", 1000 * seconds / steps)
        report.note(f"{algorithm}: all [ms per step and rank]", 1000 * total / steps)
        limit = SHARE if algorithm == "lincs" else None
        if limit:
            report.at_most(f"{algorithm}: share of a step", seconds / total, limit)
        else:
            report.note(f"{algorithm}: share of a step", seconds / total)


CASES = {"9.table": table, "9.share": share}
