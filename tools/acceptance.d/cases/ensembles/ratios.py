"""Item 3: ensembles by the ratios of their distributions at two temperatures or pressures, and kinetic energies.

M. R. Shirts, J. Chem. Theory Comput. 9, 909 (2013): ln of the ratio of the probabilities of a state at two temperatures
or pressures is linear in its energy or volume, with a slope that is known exactly.
"""

import math

import numpy

import canonical
from support import holon_runner as holon
from support import sites, trajectories

# Small enough for an item to take minutes, and far enough apart for that: energies and volumes of the pairs differ by
# twice their fluctuations, where the slope is known best from a given number of samples.
WATERS = (6, 6, 6)
N_WATERS = math.prod(WATERS)
PICOSECONDS, LEFT_OUT = 120.0, 10.0
TEMPERATURES = (298.15, 314.15)
PRESSURES = (1.0, 601.0)
BAR = 16.6053907  # per kJ/mol/nm^3
SETTINGS = {
    "dt": 0.002,
    "coulombtype": "PME",
    "rcoulomb": 0.8,
    "rvdw": 0.8,
    "DispCorr": "EnerPres",
    "tc-grps": "System",
    "compressibility": 4.5e-5,
    "nstxout-compressed": 0,
    "nstlog": 0,
    "checkpoint-interval": 500,
}
THERMOSTATS = {
    "v-rescale": {"integrator": "md", "tcoupl": "v-rescale", "tau-t": 0.1},
    "nose-hoover": {"integrator": "md", "tcoupl": "nose-hoover", "tau-t": 0.4},
    "andersen": {"integrator": "md-vv", "tcoupl": "andersen", "tau-t": 0.5, "comm-mode": "none"},
    "andersen-massive": {"integrator": "md-vv", "tcoupl": "andersen-massive", "tau-t": 0.5, "comm-mode": "none"},
    "sd": {"integrator": "sd", "tau-t": 1.0},
    "baoab": {"integrator": "baoab", "tau-t": 1.0},
    "berendsen": {"integrator": "md", "tcoupl": "berendsen", "tau-t": 0.1},
}
BAROSTATS = {
    "C-rescale": {"tau-p": 0.5},
    "Parrinello-Rahman": {"tau-p": 1.0},
    "MTTK": {"tau-p": 1.0},
    "Berendsen": {"tau-p": 0.5, "picoseconds": 3 * PICOSECONDS},  # what is a little wrong is seen late
}


def start(folder):
    """Waters that have come to 298 K and 1 bar: the files of a run."""
    if not (folder / "npt" / "confout.gro").exists():
        sites.write_water(folder, "tip3p", WATERS)
        files = ["-p", folder / "topol.top", "-f", folder / "md.mdp"]
        plain = {"coulombtype": "PME", "rcoulomb": 0.8, "rvdw": 0.8, "nstxout_compressed": 0}
        holon.run(folder / "steep", [*files, "-c", folder / "conf.gro"], 1, integrator="steep", nsteps=200, tcoupl="no", **plain)
        bath = {"tcoupl": "v-rescale", "tc-grps": "System", "tau-t": 0.1, "ref-t": 298.15, "gen-vel": "yes", "gen-temp": 298.15}
        pressure = {"pcoupl": "C-rescale", "tau-p": 0.5, "ref-p": 1.0, "nsteps": 15000}
        holon.run(folder / "npt", [*files, "-c", folder / "steep" / "confout.gro"], 1, timeout=3600, overwrite=None,
                  **words({**SETTINGS, **bath, **pressure}))
    return ["-p", folder / "topol.top", "-f", folder / "md.mdp", "-c", folder / "npt" / "confout.gro"]


def words(settings):
    return {key.replace("-", "_"): value for key, value in settings.items()}


def sample(report, name, settings, temperature, pressure=None, seed=11):
    """Energies of a run, equilibration left out, and its degrees of freedom."""
    files = start(report.work.parent / "ensemble-start")
    keys = {**SETTINGS, **settings, "ref-t": temperature, "gen-vel": "yes", "gen-temp": temperature}
    if pressure is not None:
        keys |= {"ref-p": pressure}
    picoseconds = keys.pop("picoseconds", PICOSECONDS)
    keys |= {"nsteps": round(picoseconds / keys["dt"]), "nstenergy": 25, "ld-seed": seed, "gen-seed": seed + 1}
    result = holon.run(report.work / name, files, 1, timeout=6 * 3600, overwrite=None, **words(keys))
    rows = trajectories.energies(report.work / name / "energy.csv")
    kept = rows["time_ps"] >= LEFT_OUT
    return {key: values[kept] for key, values in rows.items()}, holon.ndof(result.summary)


def inefficiency(values):
    """How many samples of a correlated series are worth one, from its autocorrelation to the first zero."""
    x = values - values.mean()
    correlation = numpy.correlate(x, x, "full")[len(x) - 1 :] / numpy.arange(len(x), 0, -1)
    correlation = correlation / correlation[0]
    ends = numpy.nonzero(correlation <= 0)[0]
    end = ends[0] if len(ends) else len(x)
    return max(1.0, 1.0 + 2.0 * float(correlation[1:end].sum()))


def slope_of_ratio(first, second):
    """d ln (P2/P1) / dx by maximum likelihood, its standard error, and how many independent samples there are: all of a
    series count in the slope, and their correlation in its error."""
    parts = [first, second]
    worth = max(inefficiency(series) for series in parts)
    x = numpy.concatenate(parts)
    centre, scale = x.mean(), x.std()
    z = (x - centre) / scale
    is_second = numpy.concatenate([numpy.zeros(len(parts[0])), numpy.ones(len(parts[1]))])
    a, b = math.log(len(parts[1]) / len(parts[0])), 0.0
    design = numpy.stack([numpy.ones_like(z), z], axis=1)
    for _ in range(100):
        p = 1.0 / (1.0 + numpy.exp(-(a + b * z)))
        hessian = (design * (p * (1 - p))[:, None]).T @ design
        step = numpy.linalg.solve(hessian, design.T @ (is_second - p))
        a, b = a + step[0], b + step[1]
        if abs(step).max() < 1e-12:
            break
    return b / scale, math.sqrt(worth * numpy.linalg.inv(hessian)[1, 1]) / scale, round(len(x) / worth)


def judge(report, name, first, second, expected, right=True):
    slope, error, count = slope_of_ratio(first, second)
    deviation = (slope / expected - 1.0) / abs(error / expected)
    report.note(f"{name}: independent samples", count)
    report.note(f"{name}: slope over the exact one", slope / expected)
    report.note(f"{name}: its standard error", abs(error / expected))
    if right:
        report.check(f"{name}: deviation [standard errors]", abs(deviation) <= 3.0, deviation, "3")
    else:
        report.check(f"{name}: is caught [standard errors]", abs(deviation) > 3.0, deviation, "> 3")


def gamma_distance(values, shape):
    """Kolmogorov and Smirnov's distance from the Gamma distribution of this shape and the mean of the values, and what a
    hundredth of all samples exceeds. The distribution by E. B. Wilson and M. M. Hilferty's cube root: at such shapes to
    1e-5."""
    x = numpy.sort(values[:: math.ceil(inefficiency(values))] / values.mean())
    root = (numpy.cbrt(x) - (1 - 1 / (9 * shape))) * math.sqrt(9 * shape)
    expected = numpy.array([0.5 * math.erfc(-r / math.sqrt(2)) for r in root])
    n = len(x)
    ranks = numpy.arange(n)
    return max(numpy.abs(expected - ranks / n).max(), numpy.abs(expected - (ranks + 1) / n).max()), 1.63 / math.sqrt(n)


def thermostat(name):
    def run(report):
        settings = {**THERMOSTATS[name], "pcoupl": "no"}
        right = name != "berendsen"
        runs = [sample(report, f"{t}", settings, t, seed=11 + k) for k, t in enumerate(TEMPERATURES)]
        beta = [1.0 / (canonical.BOLTZMANN * temperature) for temperature in TEMPERATURES]
        (first, freedom), (second, _) = runs
        judge(report, "potential energies", first["potential"], second["potential"], beta[0] - beta[1], right)
        if right:
            distance, most = gamma_distance(first["kinetic"], freedom / 2)
            report.at_most("kinetic energy: distance from the Gamma distribution", distance, most)

    run.__doc__ = f"{name}: potential energies at two temperatures, {PICOSECONDS:g} ps of {N_WATERS} waters; kinetic energies"
    return run


def barostat(name):
    def run(report):
        settings = {**THERMOSTATS["v-rescale"], **BAROSTATS[name], "pcoupl": name}
        right = name != "Berendsen"
        kt = canonical.BOLTZMANN * TEMPERATURES[0]
        (base, _), (pressed, _) = (sample(report, f"{p}-bar", settings, TEMPERATURES[0], p, seed=int(p)) for p in PRESSURES)
        expected = (PRESSURES[0] - PRESSURES[1]) / BAR / kt
        judge(report, "volumes", base["volume_nm3"], pressed["volume_nm3"], expected, right)
        if right:
            heated, _ = sample(report, f"{TEMPERATURES[1]}-K", settings, TEMPERATURES[1], PRESSURES[0], seed=7)
            beta = [1.0 / (canonical.BOLTZMANN * temperature) for temperature in TEMPERATURES]
            enthalpies = [rows["potential"] + PRESSURES[0] / BAR * rows["volume_nm3"] for rows in (base, heated)]
            judge(report, "enthalpies", *enthalpies, beta[0] - beta[1])

    run.__doc__ = f"{name}: volumes at two pressures, enthalpies at two temperatures, {PICOSECONDS:g} ps of {N_WATERS} waters"
    return run


CASES = {f"3.{name}": thermostat(name) for name in THERMOSTATS} | {f"3.{name}-volumes": barostat(name) for name in BAROSTATS}
