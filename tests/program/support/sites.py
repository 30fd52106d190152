"""Inputs with virtual sites, written from nothing: waters of four and five sites, and molecules that have every kind.

Shared by virtual_sites_test.py and tools/acceptance. A water's parents come first and rigid, its sites after them.
"""

import math

import numpy

from support import systems

# Lennard-Jones of the oxygen [nm, kJ/mol], geometry [nm, degrees], charge of a hydrogen, and of each site. Sources:
# J. L. F. Abascal, C. Vega, J. Chem. Phys. 123, 234505 (2005); S. Izadi, R. Anandakrishnan, A. V. Onufriev, J. Phys.
# Chem. Lett. 5, 3863 (2014); M. W. Mahoney, W. L. Jorgensen, J. Chem. Phys. 112, 8910 (2000).
WATERS = {
    "tip4p-2005": {"lj": (0.31589, 0.7749), "d_oh": 0.09572, "angle": 104.52, "hydrogen": 0.5564, "bisector": 0.01546},
    "opc": {"lj": (0.316655, 0.89036), "d_oh": 0.087243, "angle": 103.6, "hydrogen": 0.6791, "bisector": 0.01594},
    "tip5p": {"lj": (0.312, 0.66944), "d_oh": 0.09572, "angle": 104.52, "hydrogen": 0.241, "pairs": 0.07},
}

# Without sites: H. J. C. Berendsen, J. R. Grigera, T. P. Straatsma, J. Phys. Chem. 91, 6269 (1987); W. L. Jorgensen et
# al., J. Chem. Phys. 79, 926 (1983).
THREE_SITES = {
    "spce": {"lj": (0.316557, 0.650194), "d_oh": 0.1, "angle": 109.47, "hydrogen": 0.4238},
    "tip3p": {"lj": (0.315061, 0.636386), "d_oh": 0.09572, "angle": 104.52, "hydrogen": 0.417},
}

MDP = """integrator = md
dt = 0.002
nsteps = 20
nstenergy = 5
nstlog = 5
nstxout-compressed = 10
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.7
rvdw = 0.7
fourierspacing = 0.12
tcoupl = v-rescale
tc-grps = System
tau-t = 0.1
ref-t = 298
ld-seed = 7
gen-vel = yes
gen-temp = 298
gen-seed = 5
"""


def water_model(name):
    return {**WATERS, **THREE_SITES}[name]


def site_lines(model):
    """Lines of [ virtual_sites3 ] of a water, and the charge of each site."""
    water = water_model(model)
    if model in THREE_SITES:
        return [], 0.0
    half = numpy.radians(water["angle"] / 2)
    along = 2 * water["d_oh"] * numpy.cos(half)  # of the sum of both arms
    if "bisector" in water:
        a = water["bisector"] / along
        return [f"4 1 2 3 1 {a:.12f} {a:.12f}"], -2 * water["hydrogen"]
    tetrahedral = numpy.arccos(-1 / 3) / 2
    a = -water["pairs"] * numpy.cos(tetrahedral) / along
    c = water["pairs"] * numpy.sin(tetrahedral) / (water["d_oh"] ** 2 * numpy.sin(2 * half))
    return [f"{site} 1 2 3 4 {a:.12f} {a:.12f} {sign * c:.12f}" for site, sign in ((4, 1), (5, -1))], -water["hydrogen"]


def water_topology(model, molecules):
    water = water_model(model)
    sigma, epsilon = water["lj"]
    sites, charge = site_lines(model)
    n = 3 + len(sites)
    d_hh = 2 * water["d_oh"] * numpy.sin(numpy.radians(water["angle"] / 2))
    oxygen = 0.0 if sites else -2 * water["hydrogen"]
    atoms = [("OW", "O", oxygen, 15.9994), ("HW", "H", water["hydrogen"], 1.008)]
    atoms = [atoms[0], atoms[1], atoms[1]] + [("MW", "D", charge, 0.0)] * len(sites)
    names = ["OW", "HW1", "HW2"] + [f"MW{k + 1}" for k in range(len(sites))]
    rows = [
        f"{k + 1} {kind} 1 SOL {name} 1 {q:.6f} {mass}"
        for k, ((kind, _, q, mass), name) in enumerate(zip(atoms, names))
    ]
    every = range(1, n + 1)
    return "\n".join(
        [
            "[ defaults ]\n1 2 no 1 1\n[ atomtypes ]",
            f"OW 8 15.9994 0 A {sigma} {epsilon}\nHW 1 1.008 0 A 0 0\nMW 0 0 0 D 0 0",
            "[ moleculetype ]\nSOL 2\n[ atoms ]",
            *rows,
            f"[ settles ]\n1 1 {water['d_oh']} {d_hh:.12f}",
            *(["[ virtual_sites3 ]"] if sites else []),
            *sites,
            "[ exclusions ]",
            *(" ".join(str(j) for j in [i, *(k for k in every if k != i)]) for i in every),
            f"[ system ]\n{model}\n[ molecules ]\nSOL {molecules}\n",
        ]
    )


def rotation(rng):
    """A random rotation."""
    q, r = numpy.linalg.qr(rng.normal(size=(3, 3)))
    q = q * numpy.sign(numpy.diag(r))
    return q * numpy.linalg.det(q)


def write_water(folder, model, side=5, seed=1, spacing=0.3104):
    """A box of side^3 waters, or of as many as three sides say, on a lattice, turned at random; where the sites belong is
    left to the program."""
    folder.mkdir(parents=True, exist_ok=True)
    sides = side if isinstance(side, tuple) else (side, side, side)
    water = water_model(model)
    half = numpy.radians(water["angle"] / 2)
    n_sites = len(site_lines(model)[0])
    arms = water["d_oh"] * numpy.array([[0, 0, 0], [numpy.sin(half), 0, numpy.cos(half)], [-numpy.sin(half), 0, numpy.cos(half)]])
    body = numpy.vstack([arms] + [arms[:1]] * n_sites)
    rng = numpy.random.default_rng(seed)
    positions, labels = [], []
    names = ["OW", "HW1", "HW2"] + [f"MW{k + 1}" for k in range(n_sites)]
    for m, cell in enumerate(numpy.ndindex(*sides)):
        positions.append(spacing * (numpy.array(cell) + 0.5) + body @ rotation(rng).T)
        labels += [f"{m + 1:5d}{'SOL':5s}{name:>5s}{m * len(names) + k + 1:5d}" for k, name in enumerate(names)]
    systems.write_gro(
        folder / "conf.gro", model, labels, numpy.vstack(positions), None, spacing * numpy.diag(sides), decimals=6
    )
    (folder / "topol.top").write_text(water_topology(model, math.prod(sides)))
    (folder / "md.mdp").write_text(MDP)
    return folder


# Six flexible atoms, then a site of each kind: its section and what follows the number of the site.
CORE = numpy.array(
    [[0, 0, 0], [0.15, 0.01, 0], [-0.04, 0.14, 0.02], [-0.05, -0.06, 0.13], [0.22, 0.13, 0.02], [-0.05, 0.2, 0.16]]
)
BONDS = [(1, 2), (1, 3), (1, 4), (2, 5), (3, 6)]
KINDS = {
    "sites1": ("virtual_sites1", "2 1"),
    "sites2": ("virtual_sites2", "1 2 1 0.4"),
    "sites2-distance": ("virtual_sites2", "1 2 2 0.07"),
    "sites3": ("virtual_sites3", "1 2 3 1 0.3 -0.2"),
    "sites3-distance": ("virtual_sites3", "1 2 3 2 0.4 -0.11"),
    "sites3-angle": ("virtual_sites3", "1 2 3 3 110 0.1"),
    "sites3-mirrored": ("virtual_sites3", "1 2 3 -3 110 0.1"),
    "sites3-out": ("virtual_sites3", "1 2 3 4 -0.3 -0.25 4.5"),
    "sites3-other-side": ("virtual_sites3", "1 2 3 -4 -0.3 -0.25 -4.5"),
    "sites4": ("virtual_sites4", "1 2 3 4 2 1.1 0.9 0.1"),
    "sitesn-geometry": ("virtual_sitesn", "1 1 2 3 4"),
    "sitesn-mass": ("virtual_sitesn", "2 2 5 3 6"),
    "sitesn-weights": ("virtual_sitesn", "3 1 0.5 4 0.7 6 0.1"),
}


# GROMACS 2022.5 loses the forces on sites of one parent: those of the whole system have a sum.
JUDGED = [kind for kind in KINDS if kind != "sites1"]


def molecule_topology(kinds, molecules):
    n_core = len(CORE)
    number = {kind: n_core + 1 + k for k, kind in enumerate(kinds)}
    masses = [12, 14, 13, 15, 16, 12]
    charges = [0.3, -0.2, -0.25, 0.1, 0.15, -0.1]
    atoms = [f"{k + 1} C 1 ODD C{k + 1} 1 {charges[k]} {masses[k]}" for k in range(n_core)]
    atoms += [f"{number[kind]} S 1 ODD S{k + 1} 1 {0.1 if k % 2 else -0.1} 0" for k, kind in enumerate(kinds)]
    every = range(1, n_core + len(number) + 1)
    lengths = {(i, j): numpy.linalg.norm(CORE[i - 1] - CORE[j - 1]) for i, j in BONDS}
    sites = []
    for kind, site in number.items():
        section, rest = KINDS[kind]
        sites.append(f"[ {section} ]\n{site} {rest}")
    return "\n".join(
        [
            "[ defaults ]\n1 2 no 1 1\n[ atomtypes ]\nC 6 12 0 A 0.28 0.4\nS 0 0 0 V 0.2 0.1",
            "[ moleculetype ]\nODD 3\n[ atoms ]",
            *atoms,
            "[ bonds ]",
            *(f"{i} {j} 1 {lengths[i, j]:.6f} 50000" for i, j in BONDS),
            "[ angles ]\n2 1 3 1 105 300\n2 1 4 1 112 300\n3 1 4 1 109 300\n1 2 5 1 120 300\n1 3 6 1 115 300",
            *sites,
            "[ exclusions ]",
            *(" ".join(str(j) for j in [i, *(k for k in every if k > i)]) for i in every if i < every[-1]),
            f"[ system ]\nodd\n[ molecules ]\nODD {molecules}\n",
        ]
    )


def write_molecules(folder, kinds=tuple(KINDS), side=3, seed=3, spacing=0.75):
    """A box of side^3 molecules with one site of each of these kinds."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = numpy.random.default_rng(seed)
    names = [f"C{k + 1}" for k in range(len(CORE))] + [f"S{k + 1}" for k in range(len(kinds))]
    body = numpy.vstack([CORE] + [CORE[:1]] * len(kinds))
    positions, labels = [], []
    for m, cell in enumerate(numpy.ndindex(side, side, side)):
        bent = body + numpy.vstack([0.01 * rng.uniform(-1, 1, CORE.shape), numpy.zeros((len(kinds), 3))])
        positions.append(spacing * (numpy.array(cell) + 0.5) + bent @ rotation(rng).T)
        labels += [f"{m + 1:5d}{'ODD':5s}{name:>5s}{m * len(names) + k + 1:5d}" for k, name in enumerate(names)]
    systems.write_gro(
        folder / "conf.gro", "odd", labels, numpy.vstack(positions), None, side * spacing * numpy.eye(3), decimals=6
    )
    (folder / "topol.top").write_text(molecule_topology(kinds, side**3))
    (folder / "md.mdp").write_text(MDP.replace("dt = 0.002", "dt = 0.001"))
    return folder
