"""Inputs of systems whose averages are known: written by code, the same on every machine.

Each function writes conf.gro, topol.top and md.mdp to a folder; what a run needs beyond them is said there.
"""

import math

import numpy

from support import systems

BOLTZMANN = 8.314462618e-3  # kJ/mol/K

TRIMER_BOND, TRIMER_MASS = 0.15, 15.0  # nm, u
BUTANE_BOND, BUTANE_ANGLE = 0.153, math.acos(-1 / 3)  # nm, tetrahedral
BUTANE_MASS, BUTANE_TEMPERATURE = 58.124 / 4, 291.0  # u, K
# Torsion energy / k [K] as a polynomial in the cosine of the torsion, which is 0 in trans.
BUTANE_TORSION = (1116.0, 1462.0, -1578.0, -368.0, 3156.0, -3788.0)


def unit_vectors(random, count):
    """Random directions [count][xyz]."""
    vectors = random.normal(size=(count, 3))
    return vectors / numpy.linalg.norm(vectors, axis=1)[:, None]


def perpendicular(random, axes):
    """Random directions perpendicular to unit vectors [count][xyz]."""
    other = numpy.cross(axes, unit_vectors(random, len(axes)))
    return other / numpy.linalg.norm(other, axis=1)[:, None]


def labels(residue, names, molecules, first_residue=1, first_atom=1):
    """First columns of the .gro lines of molecules of one residue each."""
    size = len(names)
    return [
        f"{(first_residue + m) % 100000:5d}{residue:<5s}{name:>5s}{(first_atom + m * size + k) % 100000:5d}"
        for m in range(molecules)
        for k, name in enumerate(names)
    ]


def write(folder, title, atoms, box, topology, settings):
    """The three files of a system. `atoms`: their labels in the .gro file, and their positions."""
    gro_labels, positions = atoms
    folder.mkdir(parents=True, exist_ok=True)
    systems.write_gro(folder / "conf.gro", title, gro_labels, positions, None, numpy.diag(box), decimals=6)
    (folder / "topol.top").write_text(topology)
    (folder / "md.mdp").write_text(f"; {title}\n" + "".join(f"{key} = {value}\n" for key, value in settings.items()))


def langevin(dt, tau, temperature, seed):
    """Settings of Langevin dynamics that starts from random velocities."""
    return {
        "integrator": "sd",
        "dt": dt,
        "comm-mode": "none",
        "tc-grps": "System",
        "tau-t": tau,
        "ref-t": temperature,
        "ld-seed": seed,
        "gen-vel": "yes",
        "gen-temp": temperature,
        "gen-seed": seed + 1,
        "nstlog": 0,
    }


def trimers(folder, molecules, dt, tau=0.2, temperature=300.0, seed=1):
    """An ideal gas of molecules of three equal beads on two rigid bonds, free to bend.

    Its angles start from a uniform distribution of their cosine, which is not that of rigid bonds.
    """
    random = numpy.random.default_rng(seed)
    edge = (molecules / 4.0) ** (1 / 3)
    centres = edge * random.random((molecules, 1, 3))
    ends = [unit_vectors(random, molecules) for _ in range(2)]
    positions = centres + TRIMER_BOND * numpy.stack([ends[0], numpy.zeros_like(ends[0]), ends[1]], axis=1)
    topology = f"""[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
B {TRIMER_MASS} 0.0 A 0.0 0.0
[ moleculetype ]
Trimer 3
[ atoms ]
1 B 1 TRI A 1 0.0 {TRIMER_MASS}
2 B 1 TRI B 1 0.0 {TRIMER_MASS}
3 B 1 TRI C 1 0.0 {TRIMER_MASS}
[ constraints ]
1 2 1 {TRIMER_BOND}
2 3 1 {TRIMER_BOND}
[ system ]
Trimers
[ molecules ]
Trimer {molecules}
"""
    settings = {
        **langevin(dt, tau, temperature, seed),
        "coulombtype": "cut-off",
        "rcoulomb": 0.2,
        "rvdw": 0.2,
        "constraint-algorithm": "newton",
    }
    atoms = labels("TRI", "ABC", molecules), positions.reshape(-1, 3)
    write(folder, "Trimers", atoms, [edge] * 3, topology, settings)


def trimer_average(power=2, points=200000):
    """Mean of cos^power of the angle of the trimer: rigid bonds favour 0 and 180 degrees by the determinant of the
    constraints' mass metric, p(cos a) ~ sqrt(4 - cos^2 a) for equal masses."""
    cosine = (numpy.arange(points) + 0.5) / points * 2 - 1
    weight = numpy.sqrt(4 - cosine**2)
    return float((weight * cosine**power).sum() / weight.sum())


def butane_energy(torsion):
    """Torsion energy of butane [kJ/mol]; the torsion is 0 in trans."""
    cosine = numpy.cos(torsion)
    return BOLTZMANN * sum(c * cosine**n for n, c in enumerate(BUTANE_TORSION))


def butane_points(torsion):
    """Positions [molecule][atom][xyz] of butanes of these torsions, about their centres."""
    bond, angle = BUTANE_BOND, BUTANE_ANGLE
    zero = numpy.zeros_like(torsion)
    first = numpy.stack([zero + bond * math.cos(angle), zero + bond * math.sin(angle), zero], axis=1)
    second = numpy.stack([zero, zero, zero], axis=1)
    third = numpy.stack([zero + bond, zero, zero], axis=1)
    across = bond * math.sin(angle)  # on the other side of the middle bond in trans
    fourth = third + numpy.stack(
        [zero - bond * math.cos(angle), -across * numpy.cos(torsion), -across * numpy.sin(torsion)], axis=1
    )
    points = numpy.stack([first, second, third, fourth], axis=1)
    return points - points.mean(axis=1, keepdims=True)


def butane_density(points=3600):
    """Torsions and their probabilities in the ideal gas of rigid bonds and angles, by quadrature.

    With rigid bonds and angles p ~ exp(-V/kT) sqrt(det G), where G is the metric of torsion and rotation together: the
    determinant of the tensor of mass of the free motions, equal for all orientations.
    """
    torsion = (numpy.arange(points) + 0.5) / points * 2 * math.pi - math.pi
    r = butane_points(torsion)
    step = 1e-5
    along = (butane_points(torsion + step) - butane_points(torsion - step)) / (2 * step)
    turns = [numpy.cross(axis, r) for axis in numpy.eye(3)]
    moves = numpy.stack([*turns, along], axis=1).reshape(points, 4, -1)
    metric = numpy.einsum("pik,pjk->pij", moves, moves)
    weight = numpy.sqrt(numpy.linalg.det(metric)) * numpy.exp(-butane_energy(torsion) / (BOLTZMANN * BUTANE_TEMPERATURE))
    return torsion, weight / weight.sum()


def is_trans(torsion):
    return numpy.abs(torsion) < math.pi / 3


def butane_topology(molecules, sigma, epsilon):
    mass = BUTANE_MASS
    ends = 2 * BUTANE_BOND * math.sin(BUTANE_ANGLE / 2)
    torsion = " ".join(f"{BOLTZMANN * c:.8f}" for c in BUTANE_TORSION)  # in [ dihedrals ], too, trans is 0
    atoms = "".join(f"{k} C 1 BUT C{k} {k} 0.0 {mass}\n" for k in range(1, 5))
    return f"""[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
C {mass} 0.0 A {sigma} {epsilon:.8f}
[ moleculetype ]
Butane 3
[ atoms ]
{atoms}[ constraints ]
1 2 1 {BUTANE_BOND}
2 3 1 {BUTANE_BOND}
3 4 1 {BUTANE_BOND}
1 3 1 {ends:.12f}
2 4 1 {ends:.12f}
[ dihedrals ]
1 2 3 4 3 {torsion}
[ system ]
Butane
[ molecules ]
Butane {molecules}
"""


def write_butane(folder, positions, box, topology, cutoff, dynamics):
    settings = {
        **dynamics,
        "coulombtype": "cut-off",
        "rcoulomb": cutoff,
        "rvdw": cutoff,
        "constraint-algorithm": "newton",
    }
    names = ["C1", "C2", "C3", "C4"]
    atoms = labels("BUT", names, len(positions)), positions.reshape(-1, 3)
    write(folder, "Butane", atoms, box, topology, settings)


def butane(folder, cells, dt=0.005, tau=1.0, seed=1):
    """Liquid butane of Ryckaert and Bellemans at 291 K and 0.583 g/cm^3: four equal sites, bonds and angles rigid.

    The model of J.-P. Ryckaert and A. Bellemans, Discuss. Faraday Soc. 66, 95 (1978): within a molecule there is
    nothing but the torsion. cells[0] x cells[1] x cells[2] molecules, with torsions of the ideal gas.
    """
    random = numpy.random.default_rng(seed)
    cells = numpy.array(cells)
    molecules = int(cells.prod())
    volume = molecules * 4 * BUTANE_MASS * 1.66053907e-3 / 0.583  # nm^3
    shape = cells * numpy.array([0.78, 0.4605, 0.4605])
    box = shape * (volume / shape.prod()) ** (1 / 3)
    torsion, weight = butane_density()
    chosen = random.choice(torsion, size=molecules, p=weight)
    grid = numpy.stack(numpy.meshgrid(*(numpy.arange(n) for n in cells), indexing="ij"), axis=-1).reshape(-1, 1, 3)
    positions = (grid + 0.5) / cells * box + butane_points(chosen)
    sigma, epsilon = 0.3923, 72.0 * BOLTZMANN
    topology = butane_topology(molecules, sigma, epsilon)
    dynamics = langevin(dt, tau, BUTANE_TEMPERATURE, seed)
    write_butane(folder, positions, box, topology, round(2.5 * sigma, 5), dynamics)


def butane_gas(folder, molecules, dt=0.01, tau=0.3, seed=1):
    """The same molecules without a liquid: they do not feel each other.

    Their torsions start as if nothing but their energy decided, which is not the distribution of rigid angles.
    """
    random = numpy.random.default_rng(seed)
    edge = (molecules / 3.0) ** (1 / 3)
    torsion, _ = butane_density()
    weight = numpy.exp(-butane_energy(torsion) / (BOLTZMANN * BUTANE_TEMPERATURE))
    chosen = random.choice(torsion, size=molecules, p=weight / weight.sum())
    positions = edge * random.random((molecules, 1, 3)) + butane_points(chosen)
    dynamics = langevin(dt, tau, BUTANE_TEMPERATURE, seed)
    write_butane(folder, positions, [edge] * 3, butane_topology(molecules, 0.0, 0.0), 0.2, dynamics)
