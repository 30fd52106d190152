"""Item 5: RATTLE is as reversible as its solution is exact, and of second order."""

import numpy

from support import holon_runner as holon
import physics
from support import systems
from support import trajectories

NVE = {
    **physics.SMOOTH,
    "dt": 0.001,
    "comm_mode": "none",
    "precision": "double",
    "constraints": "all-bonds",
    "nstxout_compressed": 0,
}
STEPS = 500


def chains(report, **how):
    """A gas of chains."""
    systems.chains(report.work, **how)
    return holon.input_files(report.work)


def way_back(report, files, name, **settings):
    """Largest distance from the start [nm] after STEPS forward and as many back."""
    settings = {**NVE, **settings}
    start = holon.run(report.work / f"{name}-start", files, 2, nsteps=0, **settings)
    there = holon.run(report.work / f"{name}-there", files, 2, nsteps=STEPS, timeout=3600, **settings)
    back = holon.run(
        report.work / f"{name}-back",
        ["--restart", there.folder / "checkpoint.h5", "--reverse-velocities"],
        2,
        nsteps=2 * STEPS,
        timeout=3600,
    )
    x = [systems.read_gro(run.folder / "confout.gro")[2] for run in (start, back)]
    box = systems.read_gro(start.folder / "confout.gro")[4]
    return float(numpy.linalg.norm(systems.nearest(x[1] - x[0], box), axis=1).max())


def reversal(report):
    """md-vv, 500 steps forward and 500 back: Newton to 1e-11 nm; how the way back depends on shake-tol"""
    # Too far apart to meet: collisions would let the smallest error grow.
    files = chains(report, edge=3, spacing=(2.5, 2.2, 2.2))
    report.at_most(
        "newton: distance from the start [nm]", way_back(report, files, "newton", constraint_algorithm="newton"), 1e-11
    )
    found = {}
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        found[tolerance] = way_back(
            report, files, f"shake-{tolerance}", constraint_algorithm="shake", shake_tol=tolerance
        )
        report.note(f"shake, {tolerance:g}: distance from the start [nm]", found[tolerance])
    report.at_most("shake: distance at 1e-12 / at 1e-4", found[1e-12] / found[1e-4], 1e-5)


def reversal_lysozyme(report):
    """likewise lysozyme in water with Newton: chaos lets errors grow, the figure is noted"""
    files = holon.input_files(holon.INPUTS / "lysozyme")
    found = way_back(report, files, "newton", constraint_algorithm="newton", dt=0.002)
    report.note("newton: distance from the start [nm]", found)


def energy_order(report):
    """md-vv: rms energy error falls fourfold as the step halves"""
    files, errors = chains(report), {}
    for dt in (0.004, 0.002, 0.001):
        run = holon.run(
            report.work / f"dt-{dt}",
            files,
            2,
            nsteps=round(2.0 / dt),
            dt=dt,
            nstenergy=1,
            constraint_algorithm="newton",
            timeout=3600,
            **{key: value for key, value in NVE.items() if key != "dt"},
        )
        energy = numpy.asarray(trajectories.energies(run.folder / "energy.csv")["conserved"])
        errors[dt] = float(numpy.sqrt(numpy.mean((energy - energy[0]) ** 2)))
        report.note(f"rms energy error at {1000 * dt:g} fs [kJ/mol]", errors[dt])
    for dt in (0.002, 0.001):
        ratio = errors[2 * dt] / errors[dt]
        report.check(f"ratio {2000 * dt:g} fs / {1000 * dt:g} fs", abs(ratio - 4.0) <= 0.3, ratio, "4.0 +- 0.3")


CASES = {"5.reversal": reversal, "5.lysozyme": reversal_lysozyme, "5.energy": energy_order}
