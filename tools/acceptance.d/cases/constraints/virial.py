"""Item 6: constraint forces and their virial: from atoms and from molecules, in closed form, and from different solvers."""

import math

import numpy

from support import holon_runner as holon
from support import systems
from support import trajectories

AVOGADRO, CHARGE, PERMITTIVITY = 6.02214076e23, 1.602176634e-19, 8.8541878128e-12  # SI
BAR = 1e25 / AVOGADRO  # bar per kJ/mol/nm^3
ELECTRIC = 1e6 * AVOGADRO * CHARGE**2 / (4 * math.pi * PERMITTIVITY)  # kJ/mol nm/e^2
EVERY_STEP = {"nstxout": 1, "nstvout": 1, "nstfout": 1, "nstcfout": 1, "nstenergy": 1}
PLAIN = {"precision": "double", "tcoupl": "no", "checkpoint_interval": 0, "nstxout_compressed": 0}


def fields(folder):
    """Positions, velocities, forces and constraint forces [frame][atom][xyz] of a run."""
    return [
        trajectories.frames(folder / "trajectory.h5md", name)[1]
        for name in ("position", "velocity", "force", "constraint_force")
    ]


def molecules(values, mass):
    """Means over molecules of three atoms, weighted by mass, and what is left of each atom: [molecule][atom][xyz]."""
    values, mass = values.reshape(-1, 3, 3), mass.reshape(-1, 3, 1)
    centre = (values * mass).sum(axis=1) / mass.sum(axis=1)
    return centre, values - centre[:, None]


def whole(positions, edge):
    """Positions of molecules of three atoms that the periodic box has not cut."""
    x = positions.reshape(-1, 3, 3)
    from_first = x - x[:, :1]
    return (x[:, :1] + from_first - edge * numpy.rint(from_first / edge)).reshape(-1, 3)


def molecular_virial(positions, mass, charge, edge, lj, reaction_field):
    """Trace of -1/2 sum R (x) F over pairs of waters, all of them, one by one: R between their centres.

    `lj`: C6 and C12 of the first atoms; `reaction_field`: cutoff and dielectric constant.
    """
    c6, c12 = lj
    cutoff, epsilon_rf = reaction_field
    k_rf = (epsilon_rf - 1) / (2 * epsilon_rf + 1) / cutoff**3
    centre, about = molecules(positions, mass)
    first, second = numpy.triu_indices(len(centre), 1)
    x = positions.reshape(-1, 3, 3)
    trace = 0.0
    for i in range(3):
        for j in range(3):
            d = x[first, i] - x[second, j]
            d -= edge * numpy.rint(d / edge)
            r2 = (d * d).sum(axis=1)
            near = numpy.flatnonzero(r2 < cutoff**2)
            d, r2 = d[near], r2[near]
            strength = ELECTRIC * charge[i] * charge[j] * (r2**-1.5 - 2 * k_rf)
            if i == j == 0:
                strength += 12 * c12 / r2**7 - 6 * c6 / r2**4
            apart = d - about[first[near], i] + about[second[near], j]
            trace -= 0.5 * float((strength[:, None] * d * apart).sum())
    return trace


def kinetic(velocities, mass):
    return 0.5 * float((mass * (velocities**2).sum(axis=-1)).sum())


def water(report):
    """virial: of rigid water from atoms with constraint forces and from molecules, md, by brute force"""
    cutoff, steps = 0.9, 6
    topology = (holon.INPUTS / "spce" / "topol.top").read_text()
    sigma, epsilon = map(float, next(w for w in map(str.split, topology.splitlines()) if w[:1] == ["OW"])[5:7])
    c6, c12 = (4 * epsilon * sigma**power for power in (6, 12))
    result = holon.run(
        report.work / "run",
        holon.input_files(holon.INPUTS / "spce"),
        2,
        nsteps=steps,
        integrator="md",
        coulombtype="reaction-field",
        epsilon_rf=78,
        rcoulomb=cutoff,
        rvdw=cutoff,
        **PLAIN,
        **EVERY_STEP,
    )
    edge = systems.read_gro(result.folder / "confout.gro")[4][0][0]
    x, v, f, g = fields(result.folder)
    mass = trajectories.masses(result.folder / "trajectory.h5md")
    pressure = trajectories.energies(result.folder / "energy.csv")["pressure_bar"]
    total = mass.reshape(-1, 3).sum(axis=1)
    worst = worst_within = 0.0
    for step in (1, steps - 1):
        positions = whole(x[step], edge)
        centre, about = molecules(positions, mass)
        middle = [molecules(v[k], mass) for k in (step, step + 1)]  # half a step before and after
        between = numpy.mean([kinetic(m[0], total) for m in middle])
        within = numpy.mean([kinetic(m[1].reshape(-1, 3), mass) for m in middle])
        virial = molecular_virial(positions, mass, (-0.8476, 0.4238, 0.4238), edge, (c6, c12), (cutoff, 78))
        atomic = 1.5 * pressure[step] / BAR * edge**3
        scale = between + within
        worst = max(worst, abs(atomic - (between - virial)) / scale)
        balance = within + 0.5 * float((about.reshape(-1, 3) * (f[step] + g[step])).sum())
        worst_within = max(worst_within, abs(balance) / scale)
    report.note("kinetic energy [kJ/mol]", scale)
    report.note("kinetic energy - virial [kJ/mol]", atomic)
    report.at_most("from atoms - from molecules, relative", worst, 1e-9)
    report.at_most("sum r.(f + g) + 2 K within molecules, relative", worst_within, 1e-9)


DUMBBELLS = """[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
A 12.0 0.0 A 0.0 0.0
[ moleculetype ]
Dumbbell 1
[ atoms ]
1 A 1 DUM A 1 0.0 12.0
2 A 1 DUM B 1 0.0 4.0
[ constraints ]
1 2 1 0.15
[ system ]
Dumbbells
[ molecules ]
Dumbbell {}
"""


def dumbbell(integrator):
    def run(report):
        count, bond, m1, m2, dt = 20, 0.15, 12.0, 4.0, 0.001
        mu = m1 * m2 / (m1 + m2)
        random = numpy.random.default_rng(1)
        axis = random.normal(size=(count, 3))
        axis /= numpy.linalg.norm(axis, axis=1)[:, None]
        across = numpy.cross(axis, random.normal(size=(count, 3)))
        across *= (numpy.linspace(0.5, 1.0, count) / numpy.linalg.norm(across, axis=1))[:, None]  # omega <= 1/ps
        middle = 3 * random.random((count, 3))
        ends = numpy.array([-m2, m1]) / (m1 + m2) * bond
        positions = middle[:, None] + ends[:, None] * axis[:, None]
        velocities = ends[:, None] * across[:, None]
        labels = [f"{k // 2 + 1:5d}DUM  {'AB'[k % 2]:>5s}{k + 1:5d}" for k in range(2 * count)]
        systems.write_gro(
            report.work / "conf.gro",
            "Dumbbells",
            labels,
            positions.reshape(-1, 3),
            velocities.reshape(-1, 3),
            3 * numpy.eye(3),
            decimals=12,
        )
        (report.work / "topol.top").write_text(DUMBBELLS.format(count))
        (report.work / "md.mdp").write_text("; every key is given as an option\n")
        result = holon.run(
            report.work / "run",
            holon.input_files(report.work),
            nsteps=100,
            dt=dt,
            integrator=integrator,
            comm_mode="none",
            rcoulomb=0.3,
            rvdw=0.3,
            **PLAIN,
            **EVERY_STEP,
        )
        x, v, _, g = (values.reshape(-1, count, 2, 3) for values in fields(result.folder))
        speed = numpy.linalg.norm(v[2:, :, 1] - v[2:, :, 0], axis=-1)
        expected = mu * speed**2 / bond
        r = x[2:, :, 1] - x[2:, :, 0]
        r -= 3 * numpy.rint(r / 3)
        tension = (g[2:, :, 0] * r).sum(axis=-1) / bond
        pull = numpy.linalg.norm(g[2:], axis=-1)
        report.at_most("tension / (mu omega^2 d) - 1", float(numpy.abs(tension / expected - 1).max()), 1e-6)
        report.at_most("forces on the ends, likewise", float(numpy.abs(pull / expected[..., None] - 1).max()), 1e-6)

    run.__doc__ = f"constraint forces: tension of rotating dumbbells, {integrator}"
    return run


def solvers(report):
    """constraint forces: of SHAKE, LINCS and Newton's method alike, lysozyme in water, all-bonds"""
    settings = {"constraints": "all-bonds", "dt": 0.002, "coulombtype": "reaction-field", **PLAIN}
    lysozyme = holon.input_files(holon.INPUTS / "lysozyme")
    start = holon.run(report.work / "start", lysozyme, 2, nsteps=20, constraint_algorithm="newton", **settings)
    files = [*lysozyme[:2], "-c", start.folder / "confout.gro", *lysozyme[4:]]
    chosen = {
        "newton": {"constraint_algorithm": "newton"},
        "shake": {"constraint_algorithm": "shake", "shake_tol": 1e-13},
        "lincs": {"constraint_algorithm": "lincs", "lincs_order": 8, "lincs_iter": 12},
        "lincs 4/1": {"constraint_algorithm": "lincs"},
    }
    forces = {}
    for name, words in chosen.items():
        result = holon.run(
            report.work / name.replace(" ", "-").replace("/", "-"),
            files,
            2,
            nsteps=1,
            continuation="yes",
            gen_vel="no",
            nstcfout=1,
            **settings,
            **words,
        )
        forces[name] = trajectories.frames(result.folder / "trajectory.h5md", "constraint_force")[1][0]
    norm = numpy.linalg.norm(forces["newton"], axis=1)
    report.note("largest constraint force [kJ/mol/nm]", float(norm.max()))
    for name in list(chosen)[1:]:
        error = float(numpy.linalg.norm(forces[name] - forces["newton"], axis=1).max() / norm.max())
        if name == "lincs 4/1":
            report.note(f"{name} - newton / largest", error)
        else:
            report.at_most(f"{name} - newton / largest", error, 1e-8)


CASES = {
    "6.water": water,
    "6.dumbbell-md": dumbbell("md"),
    "6.dumbbell-md-vv": dumbbell("md-vv"),
    "6.solvers": solvers,
}
