"""Item 4: rigid units that constraints link: the same as all distances, rings and loops, 500 units over 8 domains."""

import re

from cases.constraints import bits as constraint_bits
from support import bad_input
from support import holon_runner as holon
from support import linked_molecules


def equality(report):
    """QSHAKE and Newton with mobilities against Newton on all distances: octane, biphenyl, a ring of units, rods"""
    passed, failed, printed = constraint_bits.run_tests("linked_units_test", 0)
    report.check("cliques, refusals, free motion", not failed, f"{len(passed)} tests")
    row = r"^(\w+), (\w+): positions (\S+) nm, velocities (\S+) nm/ps, iterations (\d+), lengths (\S+), rates (\S+)$"
    rows = re.findall(row, printed, re.M)
    report.check("rows", len(rows) == 16, len(rows))
    for name, solver, positions, velocities, iterations, lengths, rates in rows:
        report.at_most(f"{name}, {solver}, {iterations} iterations: positions [nm]", float(positions), 1e-13)
        report.at_most(f"{name}, {solver}: velocities [nm/ps] times 2 fs", float(velocities) * 0.002, 1e-13)
        report.at_most(f"{name}, {solver}: lengths", float(lengths), 1e-13)
        report.at_most(f"{name}, {solver}: rates", float(rates), 1e-13)


def domains(report):
    """octane, biphenyl, rings and 500 units in a chain, cut by domains: bits and iterations as on one rank"""
    for ranks in (1, 2, 3, 8):
        names = "*SameBits*/qshake_*:*SameBits*/unit_newton_*"
        passed, failed, _ = constraint_bits.run_tests("constraint_solvers_test", ranks, names)
        for solver in ("qshake", "unit_newton"):
            for shape in ("linked_units", "chain_of_500_units"):
                found = any(test.endswith(f"{solver}_{shape}") for test in passed)
                report.check(f"{ranks} ranks, {solver}: {shape}", found and not failed, f"{len(passed)} tests")


def liquids(report):
    """liquid octane and biphenyl, 2 fs: hashes on 1, 2, 3 and 8 ranks; drift; the same as all distances"""
    for name, files in linked_molecules.LIQUIDS.items():
        arguments = bad_input.write_input(report.work / name, files())
        for algorithm in ("qshake", "unit-newton"):
            how = {"constraint_algorithm": algorithm, "shake_tol": 1e-12, "nsteps": 200}
            runs = [
                holon.run(report.work / f"{name}-{algorithm}-{ranks}", arguments, ranks, timeout=1800, **how)
                for ranks in (1, 2, 3, 8)
            ]
            report.check(f"{name}, {algorithm}: hashes", len({run.state_hash for run in runs}) == 1, runs[0].state_hash)
            first, last = (runs[0].summary[at]["energies_kJ_per_mol"] for at in ("initial", "final"))
            change = abs(last["conserved"] - first["conserved"]) / first["kinetic"]
            report.at_most(f"{name}, {algorithm}: conserved energy, in units of the kinetic", change, 0.01)
            error = runs[0].summary["constraint_error"]["length_max_relative"]
            report.at_most(f"{name}, {algorithm}: lengths", error, 2e-12)


CASES = {"4.equality": equality, "4.domains": domains, "4.liquids": liquids}
