"""Item 5: molecules of which only torsions are free, and dynamics in torsions along the tree of their units."""

import re

from cases.constraints import bits as constraint_bits
from support import holon_runner as holon


def recursion(report):
    """the recursion against the constrained Cartesian acceleration to 300 residues; determinants; derivatives"""
    passed, failed, printed = constraint_bits.run_tests("torsion_tree_test", 0)
    report.check("accelerations to 1e-10, ln det differs by a constant, derivatives to 1e-6", not failed, f"{len(passed)} tests")
    for ranks in (1, 2, 3, 8):
        passed, failed, _ = constraint_bits.run_tests("torsion_only_test", ranks)
        report.check(f"{ranks} ranks: constrained as on one", passed and not failed, f"{len(passed)} tests")


def linear(report):
    """the time of one acceleration, from 10 to 10,000 residues"""
    many = {"HOLON_TORSION_RESIDUES": "10000"}
    result = holon.call("torsion_tree_test", ["--gtest_filter=*Linear*"], 0, timeout=1200, environment=many)
    times = {int(n): float(t) for n, t in re.findall(r"^(\d+) residues: (\S+) us", result.stdout, re.M)}
    report.check("sizes", min(times, default=0) == 10 and max(times, default=0) == 10000, sorted(times))
    for n, time in times.items():
        report.note(f"{n} residues: us per residue", time / n)
    report.at_most("per residue, the largest against 100 residues", times[10000] / 10000 / (times[100] / 100), 2.0)


CASES = {"5.linear": linear, "5.recursion": recursion}
