"""Item 5: conservation laws."""

import math

import numpy

from support import holon_runner as holon
from support import references
from support import trajectories

BOLTZMANN = 8.314462618e-3  # kJ/mol/K
TEMPERATURE = 300.0
WATER = holon.input_files(holon.INPUTS / "spce")

# Forces go smoothly to zero at the cutoff: a reaction field of infinite permittivity, and a force switch.
SMOOTH = {
    "coulombtype": "reaction-field",
    "epsilon_rf": 0,
    "rcoulomb": 0.9,
    "rvdw": 0.9,
    "vdw_modifier": "force-switch",
    "rvdw_switch": 0.75,
    "integrator": "md-vv",
    "tcoupl": "no",
}


def slope(time, values, parts=8):
    """Slope of a straight line through values(time) and its standard error, from the scatter of the slopes of equal parts.

    The conserved energy does not scatter about a line, it wanders: 4e8 times in 400 ps a pair crosses the cutoff, where the
    reaction field's force has a kink, at a random energy error of some 1e-4 kJ/mol. The residuals of a single fit know
    nothing of that; the slopes of the parts do.
    """
    time, values = numpy.asarray(time), numpy.asarray(values)
    of_parts = [numpy.polyfit(t, y, 1)[0] for t, y in zip(numpy.array_split(time, parts), numpy.array_split(values, parts))]
    return numpy.polyfit(time, values, 1)[0], float(numpy.std(of_parts, ddof=1) / math.sqrt(parts))


def check_drift(report, files, limit, **settings):
    """Logs the drift of the conserved energy over 400 ps at 2 fs; goes on where it was stopped."""
    # A folder of another program version starts afresh; --resume goes on in one of this version.
    stamp = report.work / "commit"
    fresh = not stamp.exists() or stamp.read_text() != report.commit
    stamp.write_text(report.commit)
    how = ["--overwrite"] if fresh else ["--resume"]
    result = holon.run(
        report.work / "run",
        [*files, *how],
        2,
        timeout=48 * 3600,
        nsteps=200000,
        dt=0.002,
        nstenergy=50,
        nstxout_compressed=0,
        checkpoint_interval=100,
        **settings,
    )
    rows = trajectories.energies(report.work / "run" / "energy.csv")
    unit = BOLTZMANN * TEMPERATURE * holon.ndof(result.summary)
    drift, error = (1000 * figure / unit for figure in slope(rows["time_ps"], rows["conserved"]))
    report.note("length [ps]", float(rows["time_ps"][-1]))
    report.note("standard error [kT/ns/dof]", error)
    report.check("drift [kT/ns/dof]", abs(drift) <= limit + 2 * error, float(drift), f"<= {limit:g} + 2 se")


def nve_drift(report):
    """NVE: drift of the conserved energy of water over 400 ps; goes on where it was stopped"""
    check_drift(report, WATER, 1e-4, **SMOOTH)


nve_drift.keeps_its_folder = True


def step_size(report):
    """NVE: the energy error falls fourfold as the step halves"""
    length, spread = 2.0, {}
    for dt in (0.002, 0.001, 0.0005):
        holon.run(
            report.work / f"dt-{dt}",
            WATER,
            2,
            timeout=3600,
            nsteps=round(length / dt),
            dt=dt,
            nstenergy=round(0.01 / dt),
            nstxout_compressed=0,
            checkpoint_interval=0,
            precision="double",
            shake_tol=1e-10,
            **SMOOTH,
        )
        conserved = trajectories.energies(report.work / f"dt-{dt}" / "energy.csv")["conserved"]
        spread[dt] = float(conserved.std())
        report.note(f"rms of the conserved energy at {dt * 1000:g} fs [kJ/mol]", spread[dt])
    for dt in (0.002, 0.001):
        ratio = spread[dt] / spread[dt / 2]
        report.check(f"ratio {dt * 1000:g} fs to {dt * 500:g} fs", 3.5 < ratio < 4.5, ratio, "3.5 to 4.5")


def bond_lengths(report):
    """bond lengths within shake-tol at every step"""
    for integrator in ("md", "md-vv"):
        for constraints in ("h-bonds", "all-bonds"):
            for tolerance in (1e-4, 1e-8):
                result = holon.run(
                    report.work / f"{integrator}-{constraints}-{tolerance}",
                    holon.input_files(holon.INPUTS / "lysozyme"),
                    3,
                    nsteps=100,
                    integrator=integrator,
                    constraints=constraints,
                    constraint_algorithm="shake",
                    shake_tol=tolerance,
                )
                report.at_most(
                    f"{integrator} {constraints} {tolerance:g}",
                    result.summary["constraint_error"]["length_max_relative"],
                    tolerance,
                )


def zero_force(report):
    """pair and bonded forces sum to exactly zero"""
    for name in ("spce", "lysozyme", "argon"):
        for precision in ("mixed", "double"):
            _, forces = references.single_point(
                report.work / f"{name}-{precision}", holon.input_files(holon.INPUTS / name), 3, precision=precision
            )
            scaled = forces * 2.0**44  # an integer number of force units, whatever these are
            total = [sum(int(value) for value in scaled[:, k]) for k in range(3)]
            exact = bool((scaled == numpy.rint(scaled)).all())
            report.check(
                f"{name} {precision}: sum of forces",
                exact and total == [0, 0, 0],
                str(total) if exact else "no integers",
                "= 0",
            )


def momentum(folder, mass):
    """Total momentum and sum of |m v| of a run's last state, exact in integers but for the masses [u nm/ps]."""
    velocity = trajectories.newest_velocities(folder / "checkpoint.h5") * 2.0**-44
    p = mass[:, None] * velocity
    return numpy.array([math.fsum(column) for column in p.T]), float(numpy.abs(p).sum())


def momentum_drift(report):
    """linear momentum drifts by no more than 1e-12 relative with comm-mode = none"""
    settings = {**SMOOTH, "comm_mode": "none", "continuation": "yes", "nstxout_compressed": 1000, "nsteps": 1000}
    for precision in ("mixed", "double"):
        folders = [report.work / f"{precision}-{steps}" for steps in (0, 1000)]
        for folder, steps in zip(folders, (0, 1000)):
            holon.run(folder, WATER, 2, **{**settings, "nsteps": steps, "precision": precision})
        mass = trajectories.masses(folders[0] / "trajectory.h5md")
        (before, total), (after, _) = (momentum(folder, mass) for folder in folders)
        report.at_most(
            f"{precision}: change of momentum / sum of |m v| in 1000 steps",
            float(numpy.abs(after - before).max() / total),
            1e-12,
        )


def reversal(report):
    """unconstrained NVE argon, 10,000 steps there and 10,000 back: the bits of the start"""
    argon = holon.input_files(holon.INPUTS / "argon")
    settings = {"comm_mode": "none", "nstxout_compressed": 0, "checkpoint_interval": 100}
    start = holon.run(report.work / "start", argon, nsteps=0, **settings)
    there = holon.run(report.work / "there", argon, 2, timeout=3600, nsteps=10000, **settings)
    back = holon.run(
        report.work / "back",
        ["--restart", there.folder / "checkpoint.h5", "--reverse-velocities"],
        3,
        timeout=3600,
        nsteps=20000,
    )
    again = holon.run(
        report.work / "again", ["--restart", back.folder / "checkpoint.h5", "--reverse-velocities"], nsteps=20000
    )
    report.check("the way there is no standstill", there.state_hash != start.state_hash, there.state_hash)
    report.check(
        "hash of the start", again.state_hash == start.state_hash, again.state_hash, f"= {start.state_hash[:8]}..."
    )


CASES = {
    "5.zero-force": zero_force,
    "5.momentum": momentum_drift,
    "5.reversal": reversal,
    "5.bond-lengths": bond_lengths,
    "5.step-size": step_size,
    "5.nve-drift": nve_drift,
}
