"""Items 1 and 3: the multiplier methods: same bits on any number of ranks, the same solution, the rates of their theory."""

import csv
import re

from cases.constraints import accuracy
from cases.constraints import bits as constraint_bits
from support import holon_runner as holon
from support import same_bits
from support import systems

METHODS = ("newton", "ciccotti_ryckaert", "ilves_f", "yoneya", "p_shake", "lambrakos", "ccma")
OF_CHAINS = ("ciccotti-ryckaert", "ilves-f", "lambrakos", "ccma", "shake")
LYSOZYME = holon.input_files(holon.INPUTS / "lysozyme")


def on_ranks(ranks):
    def run(report):
        names = ":".join(f"*/{method}_*" for method in METHODS)
        passed, failed, _ = constraint_bits.run_tests("constraint_solvers_test", ranks, names)
        for method in METHODS:
            found = [test for test in passed if f"/{method}_" in test]
            report.check(f"{method}: iterations and bits as on one rank", bool(found), f"{len(found)} tests")
        report.check("nothing differs", not failed, " ".join(sorted(failed))[:400])

    run.__doc__ = f"bits and iterations of the multiplier methods, all molecules that they take, {ranks} ranks"
    return run


def same_solution(report):
    """small clusters and water against a dense Newton solution, 1e-13 nm (Yoneya: its error)"""
    passed, failed, _ = constraint_bits.run_tests("solvers_test", 0)
    report.check("solvers_test", passed and not failed, f"{len(passed)} tests")


def lysozyme(report):
    """lysozyme in water, all-bonds: hashes on 1, 2, 3 and 8 ranks; a step against Newton's"""
    for algorithm in ("ilves-f", "yoneya", "lambrakos", "ccma"):
        (report.work / algorithm).mkdir()
        settings = {"constraints": "all-bonds", "constraint_algorithm": algorithm, "nsteps": 10, "integrator": "md-vv"}
        found = same_bits.hashes(report.work / algorithm, LYSOZYME, [(n, None) for n in (1, 2, 3, 8)], **settings)
        for layout, state_hash in found.items():
            report.check(f"{algorithm}: hash on {layout} ranks", state_hash == found["1"], state_hash)
    start = holon.run(
        report.work / "start", LYSOZYME, 2, nsteps=0, constraints="all-bonds", constraint_algorithm="newton"
    )
    for name in ("md.mdp", "topol.top"):
        (report.work / name).symlink_to(holon.INPUTS / "lysozyme" / name)
    (report.work / "conf.gro").symlink_to(start.folder / "confout.gro")
    expected = accuracy.one_step(report, "newton", constraint_algorithm="newton")
    for algorithm in OF_CHAINS:
        positions, _, box = accuracy.one_step(report, algorithm, constraint_algorithm=algorithm, shake_tol=1e-10)
        moved = systems.nearest(positions - expected[0], box)
        report.at_most(f"{algorithm} at 1e-10: positions differ by [nm]", float(abs(moved).max()), 1e-9)


def rates(report):
    """Newton quadratic, kept matrices, P-SHAKE, CCMA and Lambrakos at the rates that dense algebra predicts, Yoneya"""
    result = holon.call("rates_test", [], 0, timeout=600, environment={"HOLON_PRINT": "1"})
    report.check("rates_test", not result.status, result.stdout[-300:])
    for name, measured, predicted in re.findall(r"^(.+?): (\S+), predicted ([^\s,]+)", result.stdout, re.M):
        report.note(f"{name}: measured, predicted", f"{measured}, {predicted}")
    for name, coarse, fine in re.findall(r"^(\w+): residual .*: (\S+), (\S+) times less$", result.stdout, re.M):
        report.note(f"yoneya, {name}: residual, times less for half the step", f"{coarse}, {fine}")


def protein(report):
    """iterations of CCMA and of SHAKE without over-relaxation on lysozyme, at 1e-5 as in OpenMM, 2 fs"""
    for constraints in ("all-bonds", "h-angles"):
        table = report.work / f"{constraints}.csv"
        options = ["--solvers", "ccma,shake,newton", "--tolerances", "1e-5,1e-10", "--repeats", 3, "--csv", table]
        more = ["--constraints", constraints, "--shake-sor", "no"]
        result = holon.call("holon-bench-constraints", [*LYSOZYME, *more, *options], 1, timeout=1800)
        if result.status:
            raise holon.RunError(result.stderr)
        with open(table) as text:
            rows = [
                row
                for row in csv.DictReader(text)
                if row["clusters"] == "larger clusters" and row["stage"] == "positions"
            ]
        for tolerance in ("1e-05", "1e-10"):
            counts = {row["solver"]: int(row["iterations"]) for row in rows if row["setting"] == tolerance}
            report.check(f"{constraints}, {tolerance}: CCMA takes the protein", "ccma" in counts, counts)
            if "ccma" in counts:
                report.at_most(
                    f"{constraints}, {tolerance}: iterations of CCMA / of SHAKE ({counts['ccma']}, {counts['shake']})",
                    counts["ccma"] / counts["shake"],
                    1 / 6 if constraints == "h-angles" else 1.0,
                )


CASES = {f"1.ranks-{n}": on_ranks(n) for n in (1, 2, 3, 8)} | {
    "1.solution": same_solution,
    "1.lysozyme": lysozyme,
    "3.rates": rates,
    "3.ccma": protein,
}
