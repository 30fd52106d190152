"""Molecules that are bonded to themselves through the box, as input files: written by code, the same on every machine."""

import collections
import dataclasses
import math
import random

from support import alkanes
import numpy

HEAD = """[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
C 6 12.011 0.0 A 0.34 0.36
"""
TERMS = {
    "bonds": "1 {length} 250000",
    "pairs": "1 0.30 0.2",
    "angles": "1 {angle} 500",
    "dihedrals": "1 180 12 2",
}


@dataclasses.dataclass
class Periodic:
    """A molecule type that repeats itself along z: positions [atom][xyz] nm, bonds (i, j) from 0, period nm."""

    name: str
    positions: numpy.ndarray
    bonds: list
    period: float
    length: float  # of the bonds, nm
    angle: float  # degrees


def polymer(carbons=24):
    """Polyethylene of united atoms in trans."""
    length, angle = 0.153, 112.0
    half = math.radians(angle / 2)
    positions = [((-1) ** k * 0.5 * length * math.cos(half), 0.0, k * length * math.sin(half)) for k in range(carbons)]
    bonds = [(k, (k + 1) % carbons) for k in range(carbons)]
    return Periodic("CHAIN", numpy.array(positions), bonds, carbons * length * math.sin(half), length, angle)


def nanotube(n=5, cells=12):
    """The armchair nanotube (n, n): graphene of this bond length, rolled up."""
    length = 0.142
    width, height = 3 * length, math.sqrt(3) * length
    cell = [(0, 0), (length, 0), (1.5 * length, height / 2), (2.5 * length, height / 2)]
    flat = numpy.array([(u + i * width, z + k * height) for k in range(cells) for i in range(n) for u, z in cell])
    sheet = numpy.array([n * width, cells * height])
    bonds = []
    for i in range(len(flat)):
        apart = flat[i + 1 :] - flat[i]
        apart -= sheet * numpy.rint(apart / sheet)
        near = numpy.hypot(*apart.T) < 1.1 * length
        bonds += [(i, i + 1 + int(j)) for j in numpy.flatnonzero(near)]
    around, radius = 2 * math.pi * flat[:, 0] / sheet[0], sheet[0] / (2 * math.pi)
    positions = numpy.stack([radius * numpy.cos(around), radius * numpy.sin(around), flat[:, 1]], axis=1)
    return Periodic("TUBE", positions, bonds, float(sheet[1]), length, 120.0)


def molecule_type(molecule):
    """[ moleculetype ] with every bond, angle, proper dihedral and pair."""
    n = len(molecule.positions)
    angles, dihedrals = alkanes.paths(molecule.bonds, n)
    ends = collections.Counter(tuple(sorted((d[0], d[3]))) for d in dihedrals)
    nearer = {tuple(sorted(b)) for b in molecule.bonds} | {tuple(sorted((a[0], a[2]))) for a in angles}
    terms = {
        "bonds": molecule.bonds,
        "pairs": sorted(pair for pair in ends if pair not in nearer),
        "angles": angles,
        "dihedrals": dihedrals,
    }
    lines = [f"[ moleculetype ]\n{molecule.name} 3\n[ atoms ]"]
    lines += [f"{k + 1} C 1 {molecule.name[:4]} C {k + 1} {0.1 * (-1) ** k} 12.011" for k in range(n)]
    for title, of in terms.items():
        tail = TERMS[title].format(length=molecule.length, angle=molecule.angle)
        lines.append(f"[ {title} ]")
        lines += [" ".join(str(k + 1) for k in term) + " " + tail for term in of]
    return "\n".join(lines) + "\n"


def write(folder, molecule, count=2, side=2.0, noise=0.004):
    """conf.gro and topol.top of count x count molecules beside each other, `side` nm for each; atoms slightly off."""
    numbers = random.Random(7)
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for m in range(count * count):
        for x in molecule.positions + [m // count * side, m % count * side, 0.3]:
            x = x + [numbers.gauss(0, noise) for _ in range(3)]
            k = len(lines) + 1
            lines.append(f"{m + 1:5d}{molecule.name:<5s}{'C':>5s}{k % 100000:5d}" + "".join(f"{c:14.9f}" for c in x))
    box = f"{count * side:.9f} {count * side:.9f} {molecule.period:.9f}"
    (folder / "conf.gro").write_text("\n".join(["Periodic", str(len(lines)), *lines, box]) + "\n")
    (folder / "topol.top").write_text(
        f"{HEAD}{molecule_type(molecule)}[ system ]\nPeriodic\n[ molecules ]\n{molecule.name} {count * count}\n"
    )
    return folder
