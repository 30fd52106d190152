"""Item 7: what constrained Langevin dynamics samples: angles, torsions, temperatures of species."""

import math

import h5py
import numpy

from support import alkanes
import canonical
from support import ensembles
from support import holon_runner as holon
from support import trajectories

# Nobody reads these runs' checkpoints, but they may be stopped and go on.
QUIET = {"checkpoint_interval": 500, "checkpoint_sync": 60, "nstxout_compressed": 0}
HOURS = 3600


def each_frame(folder, function, field="position"):
    """function(values [atom][xyz], edges of the box) of every frame; a field at intervals of its own has a group of its own."""
    with h5py.File(folder / "trajectory.h5md") as file:
        own = f"particles/trajectory_{field}"
        group = file[own if own in file else "particles/trajectory"]
        values, edges = group[f"{field}/value"], group["box/edges/value"]
        return numpy.array([function(values[k].astype(float), numpy.diag(edges[k])) for k in range(len(values))])


def bonds(positions, edges, first, second):
    """Vectors between two atoms of every molecule, positions [molecule][atom][xyz]."""
    d = positions[:, second] - positions[:, first]
    return d - edges * numpy.rint(d / edges)


def squared_cosine(positions, edges):
    x = positions.reshape(-1, 3, 3)
    a, b = bonds(x, edges, 1, 0), bonds(x, edges, 1, 2)
    return float(((a * b).sum(axis=1) ** 2 / ((a * a).sum(axis=1) * (b * b).sum(axis=1))).mean())


def trans_fraction(positions, edges):
    x = positions.reshape(-1, 4, 3)
    a, b, c = (bonds(x, edges, k, k + 1) for k in range(3))
    n, m = numpy.cross(a, b), numpy.cross(b, c)
    cosine = -(n * m).sum(axis=1) / numpy.sqrt((n * n).sum(axis=1) * (m * m).sum(axis=1))  # 1 in trans
    return float((cosine > math.cos(math.pi / 3)).mean())


def judge(report, name, series, expected, limit, resolution):
    """Logs the mean of a series, its standard error, and whether it is within `limit` of what is expected."""
    mean, error = float(series.mean()), canonical.block_error(series)
    report.note(f"{name}: standard error", error)
    report.at_most(f"{name}: resolution of this test", error, resolution)
    report.check(name, abs(mean - expected) <= limit, mean, f"{expected:.4f} +- {limit:g}")


def trimers(report):
    """sd: angles of an ideal gas of equal-mass trimers on rigid bonds, <cos^2> = 0.3210 (flexible: 0.3333), 400 ps"""
    ensembles.trimers(report.work, molecules=6000, dt=0.01)
    result = holon.run(
        report.work / "run",
        holon.input_files(report.work),
        2,
        timeout=6 * HOURS,
        nsteps=40000,
        **QUIET | {"nstxout_compressed": 40},
    )
    series = each_frame(result.folder, squared_cosine)[10:]
    expected = ensembles.trimer_average()
    judge(report, "<cos^2>", series, expected, 5e-4, 1.6e-4)
    report.check("deviation in standard errors", None, float((series.mean() - expected) / canonical.block_error(series)))


def butane(report):
    """sd: trans fraction of liquid n-butane of Ryckaert and Bellemans, 291 K, 0.583 g/cm^3, 1.5 ns"""
    ensembles.butane(report.work, cells=(5, 9, 9))
    files = holon.input_files(report.work)
    relaxed = holon.run(
        report.work / "relaxed", files, 2, timeout=HOURS, nsteps=4000, dt=0.001, tau_t=0.1, **QUIET
    )
    result = holon.run(
        report.work / "run",
        [*files[:2], "-c", relaxed.folder / "confout.gro", *files[4:]],
        2,
        timeout=6 * HOURS,
        nsteps=300000,
        continuation="yes",
        gen_vel="no",
        nstenergy=200,
        **QUIET | {"nstxout_compressed": 200},
    )
    torsion, weight = ensembles.butane_density()
    report.note("trans fraction of the ideal gas", float(weight[ensembles.is_trans(torsion)].sum()))
    series = each_frame(result.folder, trans_fraction)[40:]
    # R. Edberg, D. J. Evans and G. P. Morriss, J. Chem. Phys. 84, 6933 (1986): 60.6 +- 1.5 % trans.
    judge(report, "trans fraction", series, 0.606, 0.015, 0.006)
    temperature = trajectories.energies(result.folder / "energy.csv")["temperature_K"][40:]
    judge(report, "temperature [K]", temperature, ensembles.BUTANE_TEMPERATURE, 0.6, 0.3)


def butane_gas(report):
    """sd: trans fraction of butane in the ideal gas, 291 K, which bonds and angles lower by being rigid, 420 ps"""
    ensembles.butane_gas(report.work, molecules=3000)
    result = holon.run(
        report.work / "run",
        holon.input_files(report.work),
        2,
        timeout=6 * HOURS,
        nsteps=42000,
        **QUIET | {"nstxout_compressed": 100},
    )
    torsion, weight = ensembles.butane_density()
    expected = float(weight[ensembles.is_trans(torsion)].sum())
    series = each_frame(result.folder, trans_fraction)[80:]
    judge(report, "trans fraction", series, expected, 0.01, 0.0033)


def centre_temperature(mass, atoms):
    """Function that gives the temperature of centres of mass of molecules of so many atoms from their velocities."""
    mass = mass.reshape(-1, atoms, 1)
    total = mass.sum(axis=1)

    def temperature(velocities):
        momentum = (mass * velocities.reshape(-1, atoms, 3)).sum(axis=1)
        return float((momentum**2 / total).sum() / (3 * len(total) * ensembles.BOLTZMANN))

    return temperature


def dodecane(report, molecules, sites, steps, allowance, resolution, **system):
    """Logs the temperatures of the centres of dodecane and of water, and whether their ratio is 1."""
    alkanes.dodecane(report.work, **system)
    files = holon.input_files(report.work)

    def after(result):
        return [*files[:2], "-c", result.folder / "confout.gro", *files[4:]]

    relaxed = holon.run(report.work / "relaxed", files, 2, timeout=HOURS, integrator="steep", nsteps=60, **QUIET)
    warm = holon.run(report.work / "warm", after(relaxed), 2, timeout=HOURS, nsteps=3000, **QUIET)
    result = holon.run(
        report.work / "run",
        after(warm),
        2,
        timeout=12 * HOURS,
        nsteps=steps,
        continuation="yes",
        gen_vel="no",
        **QUIET | {"nstxout": 20, "nstvout": 20},
    )
    mass = trajectories.masses(result.folder / "trajectory.h5md")
    split = molecules * sites
    species = [centre_temperature(mass[:split], sites), centre_temperature(mass[split:], 3)]
    both = each_frame(result.folder, lambda v, _: [species[0](v[:split]), species[1](v[split:])], "velocity")[100:]
    for name, series in zip(("dodecane", "water"), both.T):
        report.note(f"{name}: temperature of centres [K]", float(series.mean()))
        report.note(f"{name}: standard error [K]", canonical.block_error(series))
    error = canonical.block_error(both[:, 0] / both[:, 0].mean() - both[:, 1] / both[:, 1].mean())
    report.note("ratio: standard error", error)
    report.at_most("ratio: resolution of this test", error, resolution)
    ratio = float(both[:, 0].mean() / both[:, 1].mean())
    limit = 0.005 + allowance * error
    text = "1 +- 0.005" + (f" + {allowance} se" if allowance else "")
    report.check("temperature of dodecane / of water", abs(ratio - 1) <= limit, ratio, text)


def united_dodecane(report):
    """sd: temperatures of centres of mass of united-atom dodecane and of water, all-bonds, 2 fs, 500 ps"""
    system = {"cells": (2, 9, 10), "water_cells": (10, 12, 2), "united": True, "tau": 0.2}
    dodecane(report, 180, 12, 250000, 0, 0.002, **system)


def all_atom_dodecane(report):
    """sd: likewise, all-atom dodecane, 160 ps: slower, so less sharp"""
    dodecane(report, 72, 38, 80000, 2, 0.003, cells=(2, 6, 6), water_cells=(11, 9, 5), tau=0.1)


CASES = {
    "7.trimers": trimers,
    "7.butane-gas": butane_gas,
    "7.butane": butane,
    "7.dodecane-united": united_dodecane,
    "7.dodecane-all-atom": all_atom_dodecane,
}
