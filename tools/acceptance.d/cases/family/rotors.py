"""Item 3: DLM and NO_SQUISH: a free rotor for a long time, the same bits on any number of ranks, water against SETTLE."""

import re

from cases.constraints import bits as constraint_bits
from cases.family import rigid
from support import holon_runner as holon

ROTOR_STEPS = 100_000  # of 2 fs
SOLVERS = ("dlm", "no-squish")
WATER_STEPS = 100_000  # of 2 fs: means of the potential in 30 ps were 3.3 standard errors apart, in 200 ps 1.6
ROW = r"^(\w+), (\S+) ps: swing (\S+), drift (\S+), angular momentum (\S+)$"


def rotors(report):
    """DLM and NO_SQUISH: a free top for 200 ps, bits on 1, 2, 3 and 8 ranks, SPC/E against SETTLE"""
    steps = {"HOLON_ROTOR_STEPS": str(ROTOR_STEPS)}
    result = holon.call("split_rotation_test", [], 0, timeout=7200, environment=steps)
    report.check("split_rotation_test", not result.status, result.stdout[-300:] if result.status else "")
    rows = re.findall(ROW, result.stdout, re.M)
    report.check("rows", len(rows) == 6, len(rows))
    swings = {}
    for name, dt, swing, drift, momentum in rows:
        swings.setdefault(name, []).append(float(swing))
        report.note(f"{name}, {dt} ps: swing of the energy, relative", float(swing))
        report.at_most(f"{name}, {dt} ps: drift over the swing", abs(float(drift)) / float(swing), 0.1)
        report.at_most(f"{name}, {dt} ps: angular momentum", float(momentum), 1e-9)
    for name, (double, once, half) in swings.items():
        for step, ratio in (("4 and 2 fs", double / once), ("2 and 1 fs", once / half)):
            report.at_most(f"{name}: swings at {step}, ratio less 4", abs(ratio - 4), 0.1)
    for ranks in (1, 2, 3, 8):
        passed, failed, _ = constraint_bits.run_tests("constraint_solvers_test", ranks, "*/dlm_*:*/no_squish_*")
        report.check(f"{ranks} ranks: bits as on one", passed and not failed, f"{len(passed)} tests")
    rigid.compare_water(report, SOLVERS, "md-vv", WATER_STEPS)


CASES = {"3.rotors": rotors}
