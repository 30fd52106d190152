"""Boxes of the molecules that constraint methods have been published with, as input files: written by code.

Without charges and torsion potentials: what is asked of them is what constraints do. Shared by tools/acceptance and
tools/compare_constraints.
"""

import dataclasses
import math

from support import rigid_molecules

CELLS = 4  # along each axis

MDP = """integrator = md-vv
dt = 0.002
coulombtype = cut-off
rcoulomb = 0.9
rvdw = 0.9
vdw-modifier = force-switch
rvdw-switch = 0.6
precision = double
gen-vel = yes
gen-temp = 300
gen-seed = 7
comm-mode = linear
"""


@dataclasses.dataclass
class Molecule:
    """Atoms with their masses [u] and places [nm], pairs at fixed distances, angles of flexible chains."""

    name: str
    atoms: list
    masses: list
    places: list
    pairs: list
    spacing: float  # of the molecules in the box [nm]
    angles: list = dataclasses.field(default_factory=list)
    body: bool = False  # nothing but `rigid` takes its distances

    @property
    def constraints(self):
        """[ constraints ]"""
        return rigid_molecules.distances(self.places, self.pairs)


def triangle(name, atoms, masses, sides, angle, spacing):
    """The first atom in the corner between `sides` [nm] at `angle` [degrees]."""
    half = math.radians(angle) / 2
    places = [(0.0, 0.0, 0.0)] + [(s * math.cos(half), sign * s * math.sin(half), 0.0) for s, sign in zip(sides, (1, -1))]
    return Molecule(name, atoms, masses, places, rigid_molecules.all_pairs(3), spacing)


def chloroform():
    side = 0.1758 * math.sin(math.radians(111.3) / 2) * 2 / math.sqrt(3)  # of each chlorine from the axis
    height = math.sqrt(0.1758**2 - side**2)
    corners = [(side * math.cos(a), side * math.sin(a), height) for a in (0, 2 * math.pi / 3, 4 * math.pi / 3)]
    places = [(0.0, 0.0, 0.0), *corners]
    return Molecule("CHL", ["C", "CL1", "CL2", "CL3"], [13.019, *[35.453] * 3], places, rigid_molecules.all_pairs(4), 0.6)


def dimethyl_sulphoxide():
    """Sulphur, oxygen and two united methyls: 106.75 degrees O-S-C, 97.4 degrees C-S-C."""
    half = math.radians(97.4) / 2
    methyls = [(0.180 * math.cos(half), sign * 0.180 * math.sin(half), 0.0) for sign in (1, -1)]
    x = math.cos(math.radians(106.75)) / math.cos(half)
    places = [(0.0, 0.0, 0.0), (0.153 * x, 0.0, 0.153 * math.sqrt(1 - x * x)), *methyls]
    return Molecule("DMSO", ["S", "O", "C1", "C2"], [32.06, 15.9994, 15.035, 15.035], places, rigid_molecules.all_pairs(4), 0.6)


def chain(name, carbons, rigid_angles, spacing):
    """United carbons in trans; with distances in place of angles, or springs."""
    half = math.radians(112.0) / 2
    places = [(k * 0.153 * math.sin(half), (k % 2) * 0.153 * math.cos(half), 0.0) for k in range(carbons)]
    masses = [15.035, *[14.027] * (carbons - 2), 15.035]
    bonds = [(k, k + 1) for k in range(carbons - 1)]
    ends = [(k, k + 2) for k in range(carbons - 2)]
    angles = [] if rigid_angles else [(k, k + 1, k + 2) for k in range(carbons - 2)]
    atoms = [f"C{k + 1}" for k in range(carbons)]
    return Molecule(name, atoms, masses, places, bonds + (ends if rigid_angles else []), spacing, angles)


def body(name, atoms, spacing):
    masses = [rigid_molecules.MASS[kind] for _, kind, _ in atoms]
    places = [place for _, _, place in atoms]
    return Molecule(name, [a for a, _, _ in atoms], masses, places, rigid_molecules.all_pairs(len(atoms)), spacing, body=True)


MOLECULES = {
    "water": triangle("WAT", ["O", "H1", "H2"], [15.9994, 1.008, 1.008], (0.1, 0.1), 109.47, 0.55),
    "methanol": triangle("MET", ["O", "C", "H"], [15.9994, 15.035, 1.008], (0.143, 0.0945), 108.53, 0.55),
    "chloroform": chloroform(),
    "dmso": dimethyl_sulphoxide(),
    "butane": chain("BUT", 4, True, 0.65),
    "octane": chain("OCT", 8, False, 1.35),
    "benzene": body("BNZ", rigid_molecules.BENZENE, 0.65),
    "co2": body("CO2", rigid_molecules.CARBON_DIOXIDE, 0.55),
}


def topology(molecule):
    numbers = range(1, len(molecule.atoms) + 1)
    name = molecule.name
    rows = [
        f"{k} {'P' if mass < 2 else 'A'} 1 {name} {atom} {k} 0.0 {mass}"
        for k, atom, mass in zip(numbers, molecule.atoms, molecule.masses)
    ]
    angles = ["[ angles ]", *(f"{i + 1} {j + 1} {k + 1} 1 112.0 519.0" for i, j, k in molecule.angles)]
    exclusions = [" ".join(map(str, [k, *(n for n in numbers if n != k)])) for k in numbers]
    lines = ["[ defaults ]", "1 2 no 1.0 1.0", "[ atomtypes ]", "A 12.0 0.0 A 0.33 0.6", "P 1.0 0.0 A 0.0 0.0"]
    lines += ["[ moleculetype ]", f"{name} 1", "[ atoms ]", *rows, molecule.constraints]
    lines += angles if molecule.angles else []
    lines += ["[ exclusions ]", *exclusions, "[ system ]", name, "[ molecules ]", f"{name} {CELLS**3}", ""]
    return "\n".join(lines)


def files(molecule, more=""):
    """md.mdp, conf.gro and topol.top of CELLS^3 molecules."""
    middle = [sum(axis) / len(axis) for axis in zip(*molecule.places)]
    atoms = [
        (atom, "", tuple(x - m for x, m in zip(place, middle))) for atom, place in zip(molecule.atoms, molecule.places)
    ]
    return {
        "md.mdp": MDP + more,
        "conf.gro": rigid_molecules.coordinates(molecule.name, atoms, CELLS, molecule.spacing),
        "topol.top": topology(molecule),
    }
