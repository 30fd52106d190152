"""Item 5: the conserved energy under every barostat and thermostat: it fluctuates as the square of the step, and does not
drift more than that of NVE."""

import dataclasses
import math
import statistics

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
RMS_PICOSECONDS, DRIFT_PICOSECONDS, LEFT_OUT = 6.0, 110.0, 0.1
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
DRAWN = ("md-vv andersen", "md-vv andersen-massive", "sd")
RUNS_OF_DRAWN = 8


def conserved(report, name, dt, picoseconds, seed=5, **settings):
    """Times [ps] and conserved energies [kJ/mol] of a run, and its degrees of freedom."""
    files = ratios.start(report.work.parent / "ensemble-start")
    keys = {**SETTINGS, **settings, "dt": dt, "nsteps": round(picoseconds / dt), "nstenergy": round(0.04 / dt)}
    keys |= {"gen-vel": "yes", "gen-temp": 298.15, "gen-seed": seed, "ld-seed": seed + 1}
    folder = report.work / name.replace(" ", "-")
    result = holon.run(folder, files, 1, timeout=3600, overwrite=None, **ratios.words(keys))
    rows = trajectories.energies(folder / "energy.csv")
    settled = rows["time_ps"] >= LEFT_OUT * picoseconds
    return rows["time_ps"][settled], rows["conserved"][settled], holon.ndof(result.summary, "none")


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


@dataclasses.dataclass
class Drift:
    """Drift of a conserved energy, half the variance of the work behind it, and the standard errors of the drift and of the
    difference of both [kT/ns/dof]."""

    drift: float
    dissipation: float
    error: float
    error_of_difference: float

    @property
    def unexplained(self):
        return self.drift - self.dissipation


def drift_of(time, energy, freedom, blocks=50):
    """The Drift of a straight line under noise and a random walk, for that is how energies fluctuate that thermostats with
    random numbers account for. Steps between means of blocks have a mean, the drift, and a covariance of three diagonals;
    the unknown share of the walk is averaged over, with its restricted likelihood."""
    length = len(energy) // blocks
    means = energy[: blocks * length].reshape(blocks, length).mean(axis=1)
    steps, ones = numpy.diff(means), numpy.ones(blocks - 1)
    near = numpy.eye(blocks - 1, k=1) + numpy.eye(blocks - 1, k=-1)
    slopes, walks, knowledges, weights = [], [], [], []
    for noise in numpy.logspace(-2, 4, 61):  # variance of a mean over what a walk gains in a block
        covariance = (2 / 3 + 2 * noise) * numpy.eye(blocks - 1) + (1 / 6 - noise) * near
        inverse = numpy.linalg.inv(covariance)
        knowledge = ones @ inverse @ ones
        slope = ones @ inverse @ steps / knowledge
        left = (steps - slope) @ inverse @ (steps - slope)
        slopes.append(slope)
        walks.append(left / (blocks - 2))
        knowledges.append(knowledge)
        weights.append(-0.5 * (numpy.linalg.slogdet(covariance)[1] + math.log(knowledge) + (blocks - 2) * math.log(left)))
    slopes, walks, knowledges, weights = map(numpy.array, (slopes, walks, knowledges, weights))
    weights = numpy.exp(weights - max(weights))
    weights /= weights.sum()

    def mean_and_variance(values, variances):
        mean = float(weights @ values)
        return mean, float(weights @ (variances + (values - mean) ** 2))

    slope, variance = mean_and_variance(slopes, walks / knowledges)
    half = walks / (2 * KT)
    dissipation, variance_of_half = mean_and_variance(half, 2 / (blocks - 2) * half**2)
    unit = 1e3 / KT / freedom / length / (time[1] - time[0])
    return Drift(*(unit * value for value in (slope, dissipation, variance**0.5, (variance + variance_of_half) ** 0.5)))


def mean_of(drifts):
    """The Drift of several runs."""

    def error(values):
        return math.hypot(*values) / len(drifts)

    return Drift(
        statistics.mean(each.drift for each in drifts),
        statistics.mean(each.dissipation for each in drifts),
        error([each.error for each in drifts]),
        error([each.error_of_difference for each in drifts]),
    )


def check_drift(report, barostat, bath, plain):
    """Not more than NVE's. Where velocities are drawn anew a correct scheme drifts, by half the variance of the work that
    its steps do, <W> = <(W - <W>)^2> / 2 kT (docs/temperature.md): there what is more has to be that."""

    def with_bar(own_error):
        error = math.hypot(own_error, plain.error)
        return error, abs(plain.drift) + 2e-5 + 2 * error

    each_time = RUNS_OF_DRAWN if bath in DRAWN else 1
    runs = []
    for _ in range(2):  # above the bar by chance, of one in forty: ask again, and all count
        seeds = range(10 * len(runs) + 5, 10 * (len(runs) + each_time), 10)
        runs += [measured(report, barostat, bath, 0.002, seed) for seed in seeds]
        found = mean_of(runs)
        error, most = with_bar(found.error)
        if abs(found.drift) <= most:
            break
    report.note(f"{bath}: runs", len(runs))
    report.note(f"{bath}: standard error", error)
    report.at_most(f"{bath}: |drift| [kT/ns/dof]", abs(found.drift), most)
    if abs(found.drift) > most:  # is it what the step does?
        if bath in DRAWN:
            report.note(f"{bath}: half the variance of the work", found.dissipation)
            report.at_most(f"{bath}: |drift - half the variance|", abs(found.unexplained), with_bar(found.error_of_difference)[1])
        half = measured(report, barostat, bath, 0.001)
        fourth = abs(found.drift) / 4 + 2 * math.hypot(half.error, found.error / 4)
        report.at_most(f"{bath}: |drift| at 1 fs, of second order", abs(half.drift), fourth)


def measured(report, barostat, bath, dt, seed=5):
    name = f"{bath} {1e3 * dt:g} fs {seed}"
    seed += 1000 * BAROSTATS.index(barostat)  # or chance would be the same for each
    return drift_of(*conserved(report, name, dt, DRIFT_PICOSECONDS, seed, pcoupl=barostat, **BATHS[bath]))


def drifts(barostat):
    def run(report):
        plain = drift_of(*conserved(report, "nve", 0.002, DRIFT_PICOSECONDS, pcoupl="no", tcoupl="no"))
        report.note("NVE: drift [kT/ns/dof]", plain.drift)
        report.note("NVE: standard error", plain.error)
        for bath in BATHS:
            check_drift(report, barostat, bath, plain)

    run.__doc__ = f"barostat {barostat}: drift of the conserved energy at 2 fs under every thermostat, against that of NVE"
    return run


CASES = {"5.fluctuations": fluctuations} | {f"5.drifts-{barostat}": drifts(barostat) for barostat in BAROSTATS}
