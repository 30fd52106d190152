"""Items 2 and 8: iterations and bits do not depend on how domains cut molecules, nor on ranks without constraints."""

import re

from support import holon_runner as holon
from support import same_bits
from support import systems

SHAPES = (
    "united_atom_c60 all_atom_c60 torsion_only_c60 nearly_straight_rods ring_of_twelve fused_rings disulphide_macrocycle "
    "ring_through_the_box freely_jointed h_angles"
).split()


def run_tests(name, ranks, names="*"):
    """Runs a test program; returns the tests that passed, or that are in `names` and did not, and what was printed."""
    result = holon.call(name, [f"--gtest_filter={names}"], ranks, timeout=3600)
    passed = set(re.findall(r"\[       OK \] (\S+)", result.stdout))
    failed = set(re.findall(r"\[  FAILED  \] ([^\s,]+/?\S*?),? ", result.stdout))
    if result.status and not failed:
        raise holon.RunError(f"{name} on {ranks} ranks: {result.stdout[-2000:]}{result.stderr[-2000:]}")
    return passed, failed, result.stdout


def on_ranks(ranks):
    def run(report):
        passed, failed, _ = run_tests("constraint_solvers_test", ranks, "All/ConstraintSolvers.SameBits*:Newton.*")
        for solver in ("newton", "shake", "lincs", "ciccotti_ryckaert", "wiggle"):
            of_solver = {test.split("/")[-1].removeprefix(solver + "_") for test in passed if f"/{solver}_" in test}
            missing = [shape for shape in SHAPES if shape not in of_solver]
            if solver == "lincs":  # where it diverges it takes nothing
                missing = [shape for shape in missing if shape not in ("torsion_only_c60", "h_angles")]
            report.check(f"{solver}: iterations and bits as on one rank", not missing, f"{len(of_solver)} shapes")
        report.check("nothing else differs", not failed, " ".join(sorted(failed))[:400])

    run.__doc__ = f"bits and iterations of every solver and shape of molecule, {ranks} ranks"
    return run


def long_chain(report):
    """freely jointed C10,000 in a small box on 64 ranks"""
    _, failed, printed = run_tests("long_chain_test", 64)
    report.check("bits as on one rank, at most 4 iterations, errors below 1e-13", not failed, printed[-300:])


def without_constraints(report):
    """ranks that own no constraints, only copies, or lose their last cluster: argon around a molecule"""
    systems.lonely_chain(holon.INPUTS / "argon", report.work)
    files = holon.input_files(report.work)
    for algorithm in ("newton", "shake", "lincs"):
        (report.work / algorithm).mkdir()
        settings = {"nsteps": 400, "constraint_algorithm": algorithm, "timeout": 600}
        layouts = [(1, None), (2, None), (3, "3x1x1"), (8, "8x1x1"), (8, "2x2x2")]
        found = same_bits.hashes(report.work / algorithm, files, layouts, **settings)
        for layout, state_hash in found.items():
            report.check(f"{algorithm}: hash on {layout} ranks", state_hash == found["1"], state_hash)


def lysozyme(report):
    """same bits: lysozyme, all-bonds, each solver, 100 steps"""
    files = holon.input_files(holon.INPUTS / "lysozyme")
    for algorithm in ("newton", "shake", "lincs"):
        (report.work / algorithm).mkdir()
        settings = {"constraints": "all-bonds", "constraint_algorithm": algorithm, "nsteps": 100, "integrator": "md-vv"}
        found = same_bits.hashes(report.work / algorithm, files, [(n, None) for n in (1, 2, 3, 8)], **settings)
        for layout, state_hash in found.items():
            report.check(f"{algorithm}: hash on {layout} ranks", state_hash == found["1"], state_hash)


CASES = {f"2.ranks-{n}": on_ranks(n) for n in (1, 2, 3, 4, 8, 16)} | {
    "2.long-chain": long_chain,
    "2.lysozyme": lysozyme,
    "8.no-constraints": without_constraints,
}
