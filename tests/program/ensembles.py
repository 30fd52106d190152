"""Inputs of systems whose averages are known: written by code, the same on every machine.

Each function writes conf.gro, topol.top and md.mdp to a folder; what a run needs beyond them is said there.
"""

import math

import numpy

import systems

BOLTZMANN = 8.314462618e-3  # kJ/mol/K

TRIMER_BOND, TRIMER_MASS = 0.15, 15.0  # nm, u
BUTANE_BOND, BUTANE_ANGLE = 0.153, math.acos(-1 / 3)  # nm, tetrahedral
BUTANE_TEMPERATURE = 291.0
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


def write(folder, title, gro_labels, positions, box, topology, settings):
    """The three files of a system."""
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
    write(
        folder, "Trimers", labels("TRI", "ABC", molecules), positions.reshape(-1, 3), [edge] * 3, topology, settings
    )


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


def butane(folder, cells, dt=0.005, tau=1.0, seed=1):
    """Liquid butane of Ryckaert and Bellemans at 291 K and 0.583 g/cm^3: four equal sites, bonds and angles rigid.

    The model of J.-P. Ryckaert and A. Bellemans, Discuss. Faraday Soc. 66, 95 (1978): within a molecule there is
    nothing but the torsion. cells[0] x cells[1] x cells[2] molecules, with torsions of the ideal gas.
    """
    random = numpy.random.default_rng(seed)
    cells = numpy.array(cells)
    molecules = int(cells.prod())
    mass = 58.124 / 4
    volume = molecules * 4 * mass * 1.66053907 / 0.583 * 1e-3  # nm^3
    shape = cells * numpy.array([0.78, 0.4605, 0.4605])
    box = shape * (volume / shape.prod()) ** (1 / 3)
    torsion, weight = butane_density()
    chosen = random.choice(torsion, size=molecules, p=weight)
    grid = numpy.stack(numpy.meshgrid(*(numpy.arange(n) for n in cells), indexing="ij"), axis=-1).reshape(-1, 1, 3)
    positions = (grid + 0.5) / cells * box + butane_points(chosen)
    sigma, epsilon = 0.3923, 72.0 * BOLTZMANN
    torsion_terms = " ".join(f"{BOLTZMANN * c:.8f}" for c in BUTANE_TORSION)  # in [ dihedrals ], too, trans is 0
    ends = 2 * BUTANE_BOND * math.sin(BUTANE_ANGLE / 2)
    topology = f"""[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
C {mass} 0.0 A {sigma} {epsilon:.8f}
[ moleculetype ]
Butane 3
[ atoms ]
""" + "".join(f"{k} C 1 BUT C{k} {k} 0.0 {mass}\n" for k in range(1, 5))
    topology += f"""[ constraints ]
1 2 1 {BUTANE_BOND}
2 3 1 {BUTANE_BOND}
3 4 1 {BUTANE_BOND}
1 3 1 {ends:.12f}
2 4 1 {ends:.12f}
[ dihedrals ]
1 2 3 4 3 {torsion_terms}
[ system ]
Butane
[ molecules ]
Butane {molecules}
"""
    settings = {
        **langevin(dt, tau, BUTANE_TEMPERATURE, seed),
        "coulombtype": "cut-off",
        "rcoulomb": round(2.5 * sigma, 5),
        "rvdw": round(2.5 * sigma, 5),
        "constraint-algorithm": "newton",
    }
    names = ["C1", "C2", "C3", "C4"]
    write(folder, "Butane", labels("BUT", names, molecules), positions.reshape(-1, 3), box, topology, settings)


def alkane(carbons):
    """An all-atom alkane in trans along x: names, element of each atom, bonds (i, j) from 0, positions about its centre."""
    cc, ch, half = 0.1529, 0.109, math.radians(112.7 / 2)
    names, elements, bonds, points = [], [], [], []
    for k in range(carbons):
        side = 1 if k % 2 == 0 else -1
        carbon = numpy.array([k * cc * math.sin(half), side * cc * math.cos(half) / 2, 0.0])
        here = len(names)
        if k > 0:
            bonds.append((last, here))
        names.append(f"C{k + 1}"), elements.append("C"), points.append(carbon)
        directions = [(0.0, side * 0.589, 0.808), (0.0, side * 0.589, -0.808)]
        if k in (0, carbons - 1):  # the methyl's third hydrogen goes on with the zigzag
            directions.append(((-1 if k == 0 else 1) * math.sin(half), -side * math.cos(half), 0.0))
        for n, direction in enumerate(directions):
            bonds.append((here, len(names)))
            names.append(f"H{k + 1}{'ABC'[n]}"), elements.append("H")
            points.append(carbon + ch * numpy.array(direction) / numpy.linalg.norm(direction))
        last = here
    points = numpy.array(points)
    return names, elements, bonds, points - points.mean(axis=0)


def paths(bonds, atoms):
    """All paths along two and along three bonds, each once."""
    neighbours = [[] for _ in range(atoms)]
    for i, j in bonds:
        neighbours[i].append(j), neighbours[j].append(i)
    two = [(i, j, k) for j in range(atoms) for i in neighbours[j] for k in neighbours[j] if i < k]
    three = [(h, i, j, k) for i, j in bonds for h in neighbours[i] if h != j for k in neighbours[j] if k != i]
    return two, three


def alkane_type(name, carbons):
    """[ moleculetype ] of an OPLS-AA alkane, types and parameters from the [ ...types ] of dodecane()."""
    names, elements, bonds, _ = alkane(carbons)
    charge = {"H": 0.06}
    hydrogens = [sum(elements[j] == "H" for i, j in bonds if i == k) for k in range(len(names))]
    lines = [f"[ moleculetype ]\n{name} 3\n[ atoms ]"]
    for k, (atom, element) in enumerate(zip(names, elements)):
        q = charge.get(element, -0.06 * hydrogens[k])
        lines.append(f"{k + 1} {element}T 1 {name} {atom} {k + 1} {q:.2f} {1.008 if element == 'H' else 12.011}")
    angles, dihedrals = paths(bonds, len(names))
    parts = [("bonds", bonds, 1), ("angles", angles, 1), ("dihedrals", dihedrals, 3)]
    parts.insert(1, ("pairs", [(d[0], d[3]) for d in dihedrals], 1))
    for title, terms, function in parts:
        lines.append(f"[ {title} ]")
        lines += [" ".join(str(k + 1) for k in term) + f" {function}" for term in terms]
    return "\n".join(lines) + "\n"


WATER_TYPE = """[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1 -0.8476 15.9994
2 HW 1 SOL HW1 1 0.4238 1.008
3 HW 1 SOL HW2 1 0.4238 1.008
[ settles ]
1 1 0.1 0.163299
[ exclusions ]
1 2 3
2 1 3
3 1 2
"""


def dodecane(folder, cells, water_cells, dt=0.002, tau=0.1, temperature=300.0, seed=1):
    """A slab of dodecane (OPLS-AA) beside one of SPC/E water: cells[0] x cells[1] x cells[2] molecules, 1.68 nm along x,
    and water_cells molecules on a grid as wide."""
    random = numpy.random.default_rng(seed)
    cells, water_cells = numpy.array(cells), numpy.array(water_cells)
    shape = numpy.array([1.68, 0.465, 0.465])  # of a cell: 0.78 g/cm^3
    slab = cells * shape
    names, elements, _, points = alkane(12)
    turned = points[:, [0, 2, 1]]  # neighbours have their zigzag in other planes

    def grid(counts):
        return numpy.stack(numpy.meshgrid(*(numpy.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)

    oil = numpy.array([(c + 0.5) * shape + (turned if c.sum() % 2 else points) for c in grid(cells)])
    waters = int(water_cells.prod())
    height = waters * 0.0300 / (slab[0] * slab[1])  # 0.03 nm^3 each
    box = numpy.array([slab[0], slab[1], slab[2] + height + 0.1])
    oxygens = (grid(water_cells) + 0.5) / water_cells * [slab[0], slab[1], height] + [0.0, 0.0, slab[2] + 0.05]
    axis = unit_vectors(random, waters)
    across = 0.5 * 0.163299 * perpendicular(random, axis)
    along = math.sqrt(0.1**2 - (0.5 * 0.163299) ** 2) * axis
    water = numpy.stack([oxygens, oxygens + along + across, oxygens + along - across], axis=1)
    topology = f"""[ defaults ]
1 3 yes 0.5 0.5
[ atomtypes ]
CT 12.011 0.0 A 0.35 0.276144
HT 1.008 0.0 A 0.25 0.12552
OW 15.9994 0.0 A 0.316557 0.650194
HW 1.008 0.0 A 0.0 0.0
[ bondtypes ]
CT CT 1 0.1529 224262.4
CT HT 1 0.1090 284512.0
[ angletypes ]
CT CT CT 1 112.7 488.273
CT CT HT 1 110.7 313.8
HT CT HT 1 107.8 276.144
[ dihedraltypes ]
CT CT CT CT 3 2.9288 -1.4644 0.2092 -1.6736 0.0 0.0
HT CT CT CT 3 0.6276 1.8828 0.0 -2.5104 0.0 0.0
HT CT CT HT 3 0.6276 1.8828 0.0 -2.5104 0.0 0.0
{alkane_type("DOD", 12)}{WATER_TYPE}[ system ]
Dodecane in water
[ molecules ]
DOD {len(oil)}
SOL {waters}
"""
    settings = {
        **langevin(dt, tau, temperature, seed),
        "constraints": "all-bonds",
        "coulombtype": "reaction-field",
        "epsilon-rf": 78,
        "rcoulomb": 0.8,
        "rvdw": 0.8,
    }
    gro = labels("DOD", names, len(oil))
    gro += labels("SOL", ["OW", "HW1", "HW2"], waters, len(oil) + 1, len(gro) + 1)
    positions = numpy.concatenate([oil.reshape(-1, 3), water.reshape(-1, 3)])
    write(folder, "Dodecane in water", gro, positions, box, topology, settings)
