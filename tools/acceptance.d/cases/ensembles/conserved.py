"""Item 5: the conserved energy under every barostat and thermostat: it fluctuates as the square of the step, and does not
drift more than that of NVE."""

import math

import numpy

import canonical
from cases.ensembles import ratios
from support import holon_runner as holon
from support import trajectories

KT = canonical.BOLTZMANN * 298.15
SETTINGS = {
    "integrator": "md-vv",
    "coulombtype": "PME",
    "rcoulomb": 0.8,
    "rvdw": 0.8,
    "vdw-modifier": "force-switch",
    "rvdw-switch": 0.65,
    "tc-grps": "System",
    "ref-t": 298.15,
    "ensemble-temperature": 298.15,
    "ref-p": 1,
    "compressibility": 4.5e-5,
    "tau-p": 1,
    "comm-mode": "none",
    "nstxout-compressed": 0,
    "nstlog": 0,
    "checkpoint-interval": 500,
}
RMS_PICOSECONDS, DRIFT_PICOSECONDS = 6.0, 100.0
BAROSTATS = ("no", "C-rescale", "Parrinello-Rahman", "MTTK", "Berendsen")
BATHS = {
    "md v-rescale": {"integrator": "md", "tcoupl": "v-rescale", "tau-t": 0.2},
    "md nose-hoover": {"integrator": "md", "tcoupl": "nose-hoover", "tau-t": 0.5},
    "md-vv v-rescale": {"tcoupl": "v-rescale", "tau-t": 0.2},
    "md-vv nose-hoover": {"tcoupl": "nose-hoover", "tau-t": 0.5},
    "md-vv berendsen": {"tcoupl": "berendsen", "tau-t": 0.2},
    "md-vv andersen": {"tcoupl": "andersen", "tau-t": 0.5},
    "md-vv andersen-massive": {"tcoupl": "andersen-massive", "tau-t": 0.5},
    "sd": {"integrator": "sd", "tcoupl": "no", "tau-t": 1.0},
}


def conserved(report, name, dt, picoseconds, seed=5, **settings):
    """Times [ps] and conserved energies [kJ/mol] of a run, and its degrees of freedom."""
    files = ratios.start(report.work.parent / "ensemble-start")
    keys = {**SETTINGS, **settings, "dt": dt, "nsteps": round(picoseconds / dt), "nstenergy": round(0.04 / dt)}
    keys |= {"gen-vel": "yes", "gen-temp": 298.15, "gen-seed": seed, "ld-seed": seed + 1}
    folder = report.work / name.replace(" ", "-")
    result = holon.run(folder, files, 1, timeout=3600, overwrite=None, **ratios.words(keys))
    rows = trajectories.energies(folder / "energy.csv")
    return rows["time_ps"], rows["conserved"], holon.ndof(result.summary, "none")


def fluctuation(report, barostat, dt, interval):
    keys = {"pcoupl": barostat, "tcoupl": "no", "nstpcouple": interval}
    time, energy, _ = conserved(report, f"{barostat}-{dt}-{interval}", dt, RMS_PICOSECONDS, **keys)
    return float((energy - numpy.polyval(numpy.polyfit(time, energy, 1), time)).std())


def fluctuations(report):
    """conserved energy in md-vv with each barostat: its rms falls fourfold from steps of 2 to 1 fs"""
    for barostat in BAROSTATS:
        long, short = (fluctuation(report, barostat, dt, 1) for dt in (0.002, 0.001))
        report.note(f"{barostat}: rms at 2 fs [kJ/mol]", long)
        report.check(f"{barostat}: rms at 2 fs over that at 1 fs", 3.0 <= long / short <= 5.2, long / short, "3 to 5.2")
        if barostat != "no":
            report.note(f"{barostat}: rms at 2 fs, nstpcouple = 10", fluctuation(report, barostat, 0.002, 10))


def drift_of(time, energy, freedom, blocks=50):
    """Drift and its standard error [kT/ns/dof] of a straight line under noise and a random walk, for that is how energies
    fluctuate that thermostats with random numbers account for. Steps between means of blocks have a mean, the drift, and
    a covariance of three diagonals; the unknown share of the walk is averaged over, with its restricted likelihood."""
    length = len(energy) // blocks
    means = energy[: blocks * length].reshape(blocks, length).mean(axis=1)
    steps, ones = numpy.diff(means), numpy.ones(blocks - 1)
    near = numpy.eye(blocks - 1, k=1) + numpy.eye(blocks - 1, k=-1)
    slopes, variances, weights = [], [], []
    for noise in numpy.logspace(-2, 4, 61):  # variance of a mean over what a walk gains in a block
        covariance = (2 / 3 + 2 * noise) * numpy.eye(blocks - 1) + (1 / 6 - noise) * near
        inverse = numpy.linalg.inv(covariance)
        knowledge = ones @ inverse @ ones
        slope = ones @ inverse @ steps / knowledge
        left = (steps - slope) @ inverse @ (steps - slope)
        slopes.append(slope)
        variances.append(left / (blocks - 2) / knowledge)
        weights.append(-0.5 * (numpy.linalg.slogdet(covariance)[1] + math.log(knowledge) + (blocks - 2) * math.log(left)))
    slopes, variances = numpy.array(slopes), numpy.array(variances)
    weights = numpy.exp(numpy.array(weights) - max(weights))
    weights /= weights.sum()
    slope = float(weights @ slopes)
    error = math.sqrt(float(weights @ (variances + (slopes - slope) ** 2)))
    unit = 1e3 / KT / freedom / length / (time[1] - time[0])
    return slope * unit, error * unit


def drifts(barostat):
    def run(report):
        plain, plain_error = drift_of(*conserved(report, "nve", 0.002, DRIFT_PICOSECONDS, pcoupl="no", tcoupl="no"))
        report.note("NVE: drift [kT/ns/dof]", plain)
        report.note("NVE: standard error", plain_error)

        def error_and_bar(own_error):
            error = math.hypot(own_error, plain_error)
            return error, abs(plain) + 2e-5 + 2 * error

        for bath, keys in BATHS.items():
            drift, own_error = drift_of(*conserved(report, bath, 0.002, DRIFT_PICOSECONDS, pcoupl=barostat, **keys))
            error, most = error_and_bar(own_error)
            if abs(drift) > most:  # chance, of one in forty: ask again, and both count
                report.note(f"{bath}: |drift| of the first run, above {most:.2g}", abs(drift))
                name = f"{bath} again"
                more, more_error = drift_of(*conserved(report, name, 0.002, DRIFT_PICOSECONDS, 15, pcoupl=barostat, **keys))
                drift, own_error = (drift + more) / 2, math.hypot(own_error, more_error) / 2
                error, most = error_and_bar(own_error)
            report.note(f"{bath}: standard error", error)
            report.at_most(f"{bath}: |drift| [kT/ns/dof]", abs(drift), most)
            if abs(drift) > most:  # is it what the step does, as weak coupling and drawn velocities let it show?
                half, half_error = drift_of(*conserved(report, f"{bath} 1 fs", 0.001, DRIFT_PICOSECONDS, pcoupl=barostat, **keys))
                fourth = abs(drift) / 4 + 2 * math.hypot(half_error, own_error / 4)
                report.at_most(f"{bath}: |drift| at 1 fs, of second order", abs(half), fourth)

    run.__doc__ = f"barostat {barostat}: drift of the conserved energy at 2 fs under every thermostat, against that of NVE"
    return run


CASES = {"5.fluctuations": fluctuations} | {f"5.drifts-{barostat}": drifts(barostat) for barostat in BAROSTATS}
