"""Item 5: molecules of which only torsions are free."""

from cases.constraints import bits as constraint_bits


def ranks(report):
    """flat groups as dense algebra has them; peptides on 1, 2, 3 and 8 ranks"""
    for n in (1, 2, 3, 8):
        passed, failed, _ = constraint_bits.run_tests("torsion_only_test", n)
        report.check(f"{n} ranks: constrained as on one", passed and not failed, f"{len(passed)} tests")


CASES = {"5.ranks": ranks}
