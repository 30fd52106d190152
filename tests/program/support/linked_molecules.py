"""Molecules of rigid units that constraints link: octane of rigid methyl and methylene groups, biphenyl of flat rings.

Shared by linked_units_test.py and tools/acceptance.
"""

import itertools
import math

from support import rigid_molecules

# A cutoff beyond the length of a molecule: pairs that are excluded never cross it.
MDP = rigid_molecules.mdp(cutoff=1.2)
CARBON_BOND, HYDROGEN_BOND, RING_BOND = 0.153, 0.109, 0.149  # nm


def octane():
    """Atoms about the middle, and their numbers in each unit: a carbon and its hydrogens."""
    atoms, units = [], []
    rise, run = CARBON_BOND * math.sqrt(1 - 0.82**2), 0.82 * CARBON_BOND
    for k in range(8):
        side = 1 if k % 2 == 0 else -1
        carbon = ((k - 3.5) * run, 0.5 * side * rise, 0.0)
        arms = [(0.0, 0.5 * side, 0.8), (0.0, 0.5 * side, -0.8)]
        arms += [(-1.0, -0.6 * side, 0.0)] if k == 0 else [(1.0, -0.6 * side, 0.0)] if k == 7 else []
        units.append([len(atoms)])
        atoms.append((f"C{k + 1}", "CA", carbon))
        for h, arm in enumerate(arms):
            length = HYDROGEN_BOND / math.hypot(*arm)
            units[-1].append(len(atoms))
            atoms.append((f"H{k + 1}{h + 1}", "HA", tuple(c + length * a for c, a in zip(carbon, arm))))
    return atoms, units, [(a[0], b[0]) for a, b in itertools.pairwise(units)]


def biphenyl():
    """Likewise: two rings, turned against each other by 45 degrees."""
    atoms, units = [], []
    centre = 0.5 * RING_BOND + rigid_molecules.CARBON
    for side, twist in ((1, 0.0), (-1, math.pi / 4)):
        units.append([])
        for kind, radius in (("CA", rigid_molecules.CARBON), ("HA", rigid_molecules.HYDROGEN)):
            for k, (x, y, _) in enumerate(rigid_molecules.hexagon(radius)):
                if kind == "HA" and k == 0:
                    continue
                units[-1].append(len(atoms))
                place = (side * (centre - x), y * math.cos(twist), y * math.sin(twist))
                atoms.append((f"{kind[0]}{k + 1}{'AB'[side < 0]}", kind, place))
    return atoms, units, [(units[0][0], units[1][0])]


def constraints(atoms, units, links, within=True):
    """[ constraints ] of the links, and of all distances in each unit."""
    pairs = list(links)
    for unit in units if within else []:
        pairs += itertools.combinations(unit, 2)
    return rigid_molecules.distances([place for _, _, place in atoms], sorted(pairs))


def files(name, molecule, cells, spacing, decimals=6, within=True):
    """Of cells^3 molecules; with `within` their units are known by their distances."""
    atoms, units, links = molecule
    text = constraints(atoms, units, links, within)
    return rigid_molecules.files(name, atoms, cells, spacing, MDP, text, decimals)


LIQUIDS = {
    "octane": lambda: files("OCT", octane(), 3, 1.3),
    "biphenyl": lambda: files("BPH", biphenyl(), 3, 1.15),
}
