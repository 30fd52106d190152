"""Item 5: the conserved energy of every barostat: it fluctuates as the square of the step, and does not drift."""

import numpy

from support import holon_runner as holon
from support import trajectories

SETTINGS = {
    "integrator": "md-vv",
    "coulombtype": "PME",
    "rcoulomb": 0.9,
    "rvdw": 0.9,
    "vdw-modifier": "force-switch",
    "rvdw-switch": 0.75,
    "tcoupl": "no",
    "ensemble-temperature": 300,
    "ref-p": 1,
    "compressibility": 4.5e-5,
    "tau-p": 1,
    "comm-mode": "none",
    "nstxout-compressed": 0,
    "nstlog": 0,
    "checkpoint-interval": 100,
}
PICOSECONDS = 6.0


def fluctuation(report, barostat, dt, interval):
    keys = {
        **SETTINGS,
        "pcoupl": barostat,
        "dt": dt,
        "nsteps": round(PICOSECONDS / dt),
        "nstenergy": round(0.04 / dt),
        "nstpcouple": interval,
    }
    keys = {key.replace("-", "_"): value for key, value in keys.items()}
    folder = report.work / f"{barostat}-{dt}-{interval}"
    holon.run(folder, holon.input_files(holon.INPUTS / "spce"), 2, timeout=3600, **keys)
    energies = trajectories.energies(folder / "energy.csv")
    time, conserved = energies["time_ps"], energies["conserved"]
    line = numpy.polyfit(time, conserved, 1)
    return float((conserved - numpy.polyval(line, time)).std()), float(line[0])


def barostats(report):
    """conserved energy of 1,310 waters in md-vv with each barostat, steps of 2 and 1 fs, coupled at every and each 10th"""
    for barostat in ("no", "C-rescale", "Parrinello-Rahman", "MTTK", "Berendsen"):
        long, short = (fluctuation(report, barostat, dt, 1) for dt in (0.002, 0.001))
        report.note(f"{barostat}: rms at 2 fs [kJ/mol]", long[0])
        report.note(f"{barostat}: drift at 2 fs [kJ/mol/ps]", long[1])
        ratio = long[0] / short[0]
        report.check(f"{barostat}: rms at 2 fs over that at 1 fs", 3.0 <= ratio <= 5.2, ratio, "3 to 5.2")
        if barostat != "no":
            report.note(f"{barostat}: rms at 2 fs, nstpcouple = 10", fluctuation(report, barostat, 0.002, 10)[0])


CASES = {"5.barostats": barostats}
