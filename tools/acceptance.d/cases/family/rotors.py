"""Item 3: DLM and NO_SQUISH: a free rotor for a long time, the same bits on any number of ranks, water against SETTLE."""

import re

import numpy
from cases.constraints import bits as constraint_bits
from cases.family import rigid
from support import bad_input
from support import holon_runner as holon
from support import rigid_molecules
from support import trajectories

ROTOR_STEPS = 100_000  # of 2 fs
SOLVERS = ("dlm", "no-squish")
CHAIN_STEPS = 4_000  # of 2 fs
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


def chains(report):
    """DLM and NO_SQUISH under Nose-Hoover chains (Kamberaj, Li, Hansen 2005), SPC/E: energy at 2 and 1 fs, temperature"""
    bath = {"integrator": "md-vv", "tcoupl": "nose-hoover", "tau_t": 0.5, "nsttcouple": 1, "precision": "double"}
    for name in SOLVERS:
        arguments = bad_input.write_input(report.work / name, rigid_molecules.water(False))
        swings = []
        for half in (1, 2):
            how = {"dt": 0.002 / half, "nsteps": CHAIN_STEPS * half, "nstenergy": 10 * half}
            keys = {"constraint_algorithm": name, **rigid.SMOOTH}
            run = holon.run(report.work / name / f"{half}", arguments, 2, timeout=7200, **bath, **how, **keys, **rigid.QUIET)
            energies = {key: values[100:] for key, values in trajectories.energies(run.folder / "energy.csv").items()}
            line = numpy.polyfit(energies["time_ps"], energies["conserved"], 1)
            swings.append(float(numpy.std(energies["conserved"] - numpy.polyval(line, energies["time_ps"]))))
            drift = rigid.drift(energies, holon.ndof(run.summary), 300)
            report.at_most(f"{name}, {2 / half:g} fs: |drift| [kT/ns per degree of freedom]", abs(drift), 0.05)
            report.at_most(f"{name}, {2 / half:g} fs: |T - 300 K|", abs(float(energies["temperature_K"].mean()) - 300), 3)
        report.check(f"{name}: rms at 2 fs over that at 1 fs", 3 <= swings[0] / swings[1] <= 5.2, swings[0] / swings[1], "3 to 5.2")


CASES = {"3.chains": chains, "3.rotors": rotors}
