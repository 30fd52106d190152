"""Liquids of molecules that are rigid bodies: in a line (carbon dioxide), in a plane (benzene); water as such bodies.

Shared by rigid_bodies_test.py and tools/acceptance.
"""

import math
import re

from support import holon_runner as holon

FORCE_FIELD = """[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
CO 12.011  0.700 A 0.280 0.224489
OC 15.9994 -0.350 A 0.305 0.656839
CA 12.011  -0.115 A 0.355 0.292880
HA 1.008   0.115 A 0.242 0.125520
"""
# J. J. Potoff, J. I. Siepmann, AIChE J. 47, 1676 (2001); W. L. Jorgensen, D. L. Severance, J. Am. Chem. Soc. 112, 4768
# (1990).
OXYGEN, CARBON, HYDROGEN = 0.116, 0.14, 0.248  # nm from the middle


def hexagon(radius):
    corners = [math.pi * k / 3 for k in range(6)]
    return [(radius * math.cos(a), radius * math.sin(a), 0.0) for a in corners]


CARBON_DIOXIDE = [("C", "CO", (0, 0, 0)), ("O1", "OC", (OXYGEN, 0, 0)), ("O2", "OC", (-OXYGEN, 0, 0))]
BENZENE = [(f"C{k + 1}", "CA", place) for k, place in enumerate(hexagon(CARBON))] + [
    (f"H{k + 1}", "HA", place) for k, place in enumerate(hexagon(HYDROGEN))
]


def mdp(cutoff, more=""):
    """Constant energy from 250 K, `cutoff` [nm]."""
    return f"""integrator = md-vv
dt = 0.002
coulombtype = reaction-field
rcoulomb = {cutoff}
rvdw = {cutoff}
gen-vel = yes
gen-temp = 250
gen-seed = 5
{more}"""


def all_pairs(count):
    return [(i, j) for j in range(count) for i in range(j)]


def distances(places, pairs):
    """[ constraints ] of these pairs of atoms, as long as they are apart."""
    lines = [f"{i + 1} {j + 1} 1 {math.dist(places[i], places[j]):.9f}" for i, j in pairs]
    return "\n".join(["[ constraints ]", *lines, ""])


def all_distances(atoms):
    """[ constraints ] of all pairs."""
    return distances([place for _, _, place in atoms], all_pairs(len(atoms)))


def topology(name, atoms, count, constraints=""):
    """No bonded terms, no pair forces within a molecule."""
    rows = [f"{k + 1} {kind} 1 {name} {atom} {k + 1}" for k, (atom, kind, _) in enumerate(atoms)]
    numbers = range(1, len(atoms) + 1)
    exclusions = [" ".join(map(str, [k, *(n for n in numbers if n != k)])) for k in numbers]
    return "\n".join(
        [FORCE_FIELD + "[ moleculetype ]", f"{name} 1", "[ atoms ]", *rows, constraints + "[ exclusions ]", *exclusions,
         "[ system ]", name, "[ molecules ]", f"{name} {count}", ""]
    )


MASS = {"CO": 12.011, "OC": 15.9994, "CA": 12.011, "HA": 1.008}


def carriers(atoms):
    """The same body by virtual sites: the fewest equal masses with its moments of inertia, two on a line or three in a
    plane (of a molecule of three-fold symmetry about the origin), and where the sites are: weights of all masses but the
    first.
    """
    total = sum(MASS[kind] for _, kind, _ in atoms)
    radius = math.sqrt(sum(MASS[kind] * math.dist(place, (0, 0, 0)) ** 2 for _, kind, place in atoms) / total)
    if all(place[1] == 0 for _, _, place in atoms):
        places = [(-radius, 0, 0), (radius, 0, 0)]
        weights = [[0.5 + x / (2 * radius)] for _, _, (x, _, _) in atoms]
    else:
        places = [(radius * math.cos(a), radius * math.sin(a), 0) for a in (0, 2 * math.pi / 3, 4 * math.pi / 3)]
        plane = [((x * math.cos(a) + y * math.sin(a)) / radius * 2 / 3 + 1 / 3) for _, _, (x, y, _) in atoms
                 for a in (2 * math.pi / 3, 4 * math.pi / 3)]
        weights = [plane[2 * k : 2 * k + 2] for k in range(len(atoms))]
    return total / len(places), places, weights


def carried(name, atoms, cells, spacing, mdp, decimals=6):
    """Input files of the same molecules as masses and sites: masses come first in each."""
    mass, places, weights = carriers(atoms)
    n = len(places)
    rows = [f"{k + 1} MC 1 {name} M{k + 1} {k + 1} 0.0 {mass:.8f}" for k in range(n)]
    charges = dict(line.split()[0:3:2] for line in FORCE_FIELD.splitlines()[3:])
    rows += [f"{n + k + 1} {kind} 1 {name} {atom} {n + k + 1} {charges[kind]} 0.0" for k, (atom, kind, _) in enumerate(atoms)]
    masses = " ".join(map(str, range(1, n + 1)))
    sites = [f"{n + k + 1} {masses} 1 {' '.join(f'{w:.12f}' for w in weight)}" for k, weight in enumerate(weights)]
    numbers = range(1, n + len(atoms) + 1)
    exclusions = [" ".join(map(str, [k, *(m for m in numbers if m != k)])) for k in numbers]
    lines = [FORCE_FIELD + "MC 1.0 0.0 A 0.0 0.0", "[ moleculetype ]", f"{name} 1", "[ atoms ]", *rows,
             all_distances([("M", "MC", place) for place in places]), f"[ virtual_sites{n} ]", *sites, "[ exclusions ]",
             *exclusions, "[ system ]", name, "[ molecules ]", f"{name} {cells**3}", ""]
    all_atoms = [(f"M{k + 1}", "MC", place) for k, place in enumerate(places)] + atoms
    return {
        "md.mdp": mdp,
        "conf.gro": coordinates(name, all_atoms, cells, spacing, decimals),
        "topol.top": "\n".join(lines),
    }


def turned(place, seed):
    """By a rotation of its own for each seed: three angles that repeat for no two molecules."""
    x, y, z = place
    for axis, angle in enumerate(((seed * 2.39996) % 6.2832, (seed * 1.1) % 6.2832, (seed * 0.7) % 6.2832)):
        c, s = math.cos(angle), math.sin(angle)
        if axis == 1:
            y, z = c * y - s * z, s * y + c * z
        else:
            x, y = c * x - s * y, s * x + c * y
    return x, y, z


def coordinates(name, atoms, cells, spacing, decimals=6):
    """A .gro file of cells^3 molecules on a lattice."""
    lines = []
    for m in range(cells**3):
        origin = [spacing * (m // n % cells + 0.5) for n in (cells * cells, cells, 1)]
        for atom, _, place in atoms:
            x = "".join(f"{o + p:{decimals + 5}.{decimals}f}" for o, p in zip(origin, turned(place, m)))
            lines.append(f"{m % 99999 + 1:5d}{name:<5s}{atom:>5s}{len(lines) % 99999 + 1:5d}{x}")
    side = f"{cells * spacing:.5f}"
    return "\n".join([name, str(len(lines)), *lines, f"{side} {side} {side}", ""])


def files(name, atoms, cells, spacing, mdp, constraints="", decimals=6):
    return {
        "md.mdp": mdp,
        "conf.gro": coordinates(name, atoms, cells, spacing, decimals),
        "topol.top": topology(name, atoms, cells**3, constraints),
    }


def water(settles=False):
    """SPC/E of the inputs, by three distances that make a rigid body, or by [ settles ]."""
    texts = {file: (holon.INPUTS / "spce" / file).read_text() for file in ("md.mdp", "conf.gro", "topol.top")}
    if not settles:
        distances = "[ constraints ]\n1 2 1 0.1\n1 3 1 0.1\n2 3 1 0.1633\n\n"
        texts["topol.top"] = re.sub(r"\[ settles \].*?\n\n", distances, texts["topol.top"], flags=re.S)
    return texts
