"""Item 7: the comparison of docs/constraint-comparison.md: every method on the molecules, published claims beside figures."""

import constraint_methods
from support import holon_runner as holon

# Of other clusters than those of the comparison, or no solver.
ELSEWHERE = {"springs", "settle", "star"}
EXACT = ("newton", "m-shake", "rigid", "unit-newton")


def comparison(report):
    """method x molecule x tolerance: iterations, cost, residual, drift, largest stable step; claims beside figures"""
    rows = []
    for name in constraint_methods.MOLECULES:
        rows += constraint_methods.compare(name, report.work / name, lambda row: None)
    rows += constraint_methods.protein(report.work)
    methods = {name for name in holon.constraint_algorithms() if not name.startswith("wiggle+")} - ELSEWHERE
    missing = methods - {row["method"] for row in rows}
    report.check("methods that are in it", not missing, ", ".join(sorted(missing)) or len(methods))
    for row in rows:
        name = f"{row['molecule']}, {row['method']} {row['setting']}"
        within = row["setting"] in constraint_methods.TOLERANCES
        if "residual" in row and (within or row["method"] in EXACT):
            report.at_most(f"{name}: residual", row["residual"], 3 * float(row["setting"]) if within else 1e-13)
        if row["method"] in EXACT and "drift" in row:
            report.at_most(f"{name}: lengths in a run", row["length"], 1e-13)
            report.at_most(f"{name}: drift [kT/ns/dof]", abs(row["drift"]), 0.5)
            report.check(f"{name}: largest stable step [fs]", row["largest_step_fs"] >= 2, row["largest_step_fs"])
    for method, claim, source, measured in constraint_methods.claims(rows):
        report.note(f"{method}: {claim} ({source})", measured)


CASES = {"7.comparison": comparison}
