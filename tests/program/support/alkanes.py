"""Dodecane beside water, of all atoms or of united ones, as input files: written by code, the same on every machine."""

import math

import numpy

from support import ensembles


def alkane(carbons, united):
    """An alkane in trans along x: names, element of each atom, bonds (i, j) from 0, positions about its centre [nm]."""
    cc, half = (0.154, math.radians(114.0 / 2)) if united else (0.1529, math.radians(112.7 / 2))
    ch = 0.109
    names, elements, bonds, points = [], [], [], []
    for k in range(carbons):
        side = 1 if k % 2 == 0 else -1
        end = k in (0, carbons - 1)
        carbon = numpy.array([k * cc * math.sin(half), side * cc * math.cos(half) / 2, 0.0])
        here = len(names)
        if k > 0:
            bonds.append((last, here))
        last = here
        names.append(f"C{k + 1}"), elements.append("M" if united and end else "C"), points.append(carbon)
        if united:
            continue
        directions = [(0.0, side * 0.589, 0.808), (0.0, side * 0.589, -0.808)]
        if end:  # the methyl's third hydrogen goes on with the zigzag
            directions.append(((-1 if k == 0 else 1) * math.sin(half), -side * math.cos(half), 0.0))
        for n, direction in enumerate(directions):
            bonds.append((here, len(names)))
            names.append(f"H{k + 1}{'ABC'[n]}"), elements.append("H")
            points.append(carbon + ch * numpy.array(direction) / numpy.linalg.norm(direction))
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


def alkane_type(name, carbons, united):
    """[ moleculetype ] of an alkane; its parameters are in [ ...types ]."""
    names, elements, bonds, _ = alkane(carbons, united)
    angles, dihedrals = paths(bonds, len(names))
    parts = [("bonds", bonds, 1), ("angles", angles, 1), ("dihedrals", dihedrals, 3)]
    if not united:
        parts.insert(1, ("pairs", [(d[0], d[3]) for d in dihedrals], 1))
    lines = [f"[ moleculetype ]\n{name} 3\n[ atoms ]"]
    for k, (atom, element) in enumerate(zip(names, elements)):
        hydrogens = sum(elements[j] == "H" for i, j in bonds if i == k)
        charge = 0.06 if element == "H" else -0.06 * hydrogens
        mass = UNITED_MASS[element] if united else {"H": 1.008, "C": 12.011}[element]
        lines.append(f"{k + 1} {element}T 1 {name} {atom} {k + 1} {charge:.2f} {mass}")
    for title, terms, function in parts:
        lines.append(f"[ {title} ]")
        lines += [" ".join(str(k + 1) for k in term) + f" {function}" for term in terms]
    return "\n".join(lines) + "\n"


# OPLS-AA.
ALL_ATOM = """[ defaults ]
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
"""

# TraPPE-UA: M. G. Martin and J. I. Siepmann, J. Phys. Chem. B 102, 2569 (1998); rigid bonds.
UNITED_MASS = {"M": 15.035, "C": 14.027}
UNITED_ATOM = """[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
MT 15.035 0.0 A 0.375 0.814817
CT 14.027 0.0 A 0.395 0.382465
OW 15.9994 0.0 A 0.316557 0.650194
HW 1.008 0.0 A 0.0 0.0
[ bondtypes ]
MT CT 1 0.154 224262.4
CT CT 1 0.154 224262.4
[ angletypes ]
MT CT CT 1 114.0 519.654
CT CT CT 1 114.0 519.654
[ dihedraltypes ]
MT CT CT CT 3 8.397358 16.786318 1.133926 -26.317602 0.0 0.0
CT CT CT CT 3 8.397358 16.786318 1.133926 -26.317602 0.0 0.0
"""

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


def dodecane(folder, cells, water_cells, united=False, dt=0.002, tau=0.1, temperature=300.0, seed=1):
    """A slab of dodecane (OPLS-AA, or TraPPE-UA if `united`) beside one of SPC/E water, all bonds rigid.

    cells[0] x cells[1] x cells[2] molecules, 1.68 nm along x, and water_cells molecules on a grid as wide.
    """
    random = numpy.random.default_rng(seed)
    cells, water_cells = numpy.array(cells), numpy.array(water_cells)
    shape = numpy.array([1.68, 0.465, 0.465])  # of a cell: 0.78 g/cm^3
    slab = cells * shape
    names, elements, _, points = alkane(12, united)
    turned = points[:, [0, 2, 1]]  # neighbours have their zigzag in other planes

    def grid(counts):
        return numpy.stack(numpy.meshgrid(*(numpy.arange(n) for n in counts), indexing="ij"), axis=-1).reshape(-1, 3)

    oil = numpy.array([(c + 0.5) * shape + (turned if c.sum() % 2 else points) for c in grid(cells)])
    waters = int(water_cells.prod())
    height = waters * 0.0300 / (slab[0] * slab[1])  # 0.03 nm^3 each
    box = numpy.array([slab[0], slab[1], slab[2] + height + 0.1])
    oxygens = (grid(water_cells) + 0.5) / water_cells * [slab[0], slab[1], height] + [0.0, 0.0, slab[2] + 0.05]
    axis = ensembles.unit_vectors(random, waters)
    across = 0.5 * 0.163299 * ensembles.perpendicular(random, axis)
    along = math.sqrt(0.1**2 - (0.5 * 0.163299) ** 2) * axis
    water = numpy.stack([oxygens, oxygens + along + across, oxygens + along - across], axis=1)
    topology = f"""{UNITED_ATOM if united else ALL_ATOM}{alkane_type("DOD", 12, united)}{WATER_TYPE}[ system ]
Dodecane in water
[ molecules ]
DOD {len(oil)}
SOL {waters}
"""
    settings = {
        **ensembles.langevin(dt, tau, temperature, seed),
        "constraints": "all-bonds",
        "coulombtype": "reaction-field",
        "epsilon-rf": 78,
        "rcoulomb": 0.8,
        "rvdw": 0.8,
    }
    gro = ensembles.labels("DOD", names, len(oil))
    gro += ensembles.labels("SOL", ["OW", "HW1", "HW2"], waters, len(oil) + 1, len(gro) + 1)
    positions = numpy.concatenate([oil.reshape(-1, 3), water.reshape(-1, 3)])
    ensembles.write(folder, "Dodecane in water", (gro, positions), box, topology, settings)
