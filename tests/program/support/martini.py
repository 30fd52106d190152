"""A patch of a lipid bilayer in coarse grain: DOPC and water of MARTINI.

Beads, levels of interaction and bonds: S. J. Marrink, H. J. Risselada, S. Yefimov, D. P. Tieleman, A. H. de Vries,
J. Phys. Chem. B 111, 7812 (2007), tables 1 and 3, and the DOPC of T. A. Wassenaar et al., J. Chem. Theory Comput. 11,
2144 (2015). Cutoffs: D. H. de Jong et al., Comput. Phys. Commun. 199, 1 (2016).
"""

import itertools

# Depths [kJ/mol] of pairs of beads at 0.47 nm; those of charges with C1 are farther apart.
TYPES = ["Q0", "Qa", "Na", "C1", "C3", "P4"]
DEPTHS = {
    "Q0": [3.5, 4.5, 4.0, 2.0, 2.3, 5.6],
    "Qa": [5.0, 4.0, 2.0, 2.3, 5.6],
    "Na": [4.0, 2.7, 2.7, 4.0],
    "C1": [3.5, 3.5, 2.0],
    "C3": [3.5, 2.7],
    "P4": [5.0],
}
FAR = {("Q0", "C1"), ("Qa", "C1")}
BEADS = "NC3 Q0 1, PO4 Qa -1, GL1 Na 0, GL2 Na 0, " + ", ".join(
    f"{place}{tail} {bead} 0" for tail in "AB" for place, bead in (("C1", "C1"), ("D2", "C3"), ("C3", "C1"), ("C4", "C1"))
)
BONDS = [(1, 2), (2, 3), (3, 4), (3, 5), (5, 6), (6, 7), (7, 8), (4, 9), (9, 10), (10, 11), (11, 12)]
ANGLES = [(2, 3, 4, 120, 25), (2, 3, 5, 180, 25)]
for first, second in ((3, 5), (4, 9)):
    ANGLES += [(first, second, second + 1, 180, 25), (second, second + 1, second + 2, 120, 45)]
    ANGLES += [(second + 1, second + 2, second + 3, 180, 25)]

SETTINGS = {
    "coulombtype": "reaction-field",
    "epsilon_r": 15,
    "epsilon_rf": 0,
    "rcoulomb": 1.1,
    "rvdw": 1.1,
    "vdw_modifier": "potential-shift",
}
DYNAMICS = {
    "integrator": "md",
    "dt": 0.02,
    "tcoupl": "v-rescale",
    "tc-grps": "DOPC W",
    "tau-t": "1 1",
    "ref-t": "310 310",
    "pcoupl": "C-rescale",
    "pcoupltype": "semiisotropic",
    "tau-p": 12,
    "compressibility": "3e-4 3e-4",
    "ref-p": "1 1",
    "continuation": "no",
    "gen-vel": "yes",
    "gen-temp": 310,
    "gen-seed": 3,
    "ld-seed": 4,
}

LIPIDS, SPACING, GRID = 4, 0.82, 0.47  # along a side of each leaflet; of lipids, of waters [nm]
SIDE = LIPIDS * SPACING
LAYERS = 5
HEIGHT = 2 * 2.6 + (LAYERS + 1) * GRID


def topology(waters):
    pairs = []
    for a, depths in DEPTHS.items():
        for b, depth in zip(TYPES[TYPES.index(a) :], depths):
            sigma = 0.62 if (a, b) in FAR else 0.47
            pairs.append(f"{a} {b} 1 {4 * depth * sigma**6:.10e} {4 * depth * sigma**12:.10e}")
    beads = [bead.split() for bead in BEADS.split(", ")]
    atoms = [f"{k} {kind} 1 DOPC {name} {k} {charge}" for k, (name, kind, charge) in enumerate(beads, 1)]
    bonds = [f"{i} {j} 1 {0.37 if (i, j) == (3, 4) else 0.47} 1250" for i, j in BONDS]
    angles = [f"{i} {j} {k} 2 {angle} {force}" for i, j, k, angle, force in ANGLES]
    parts = [
        ("defaults", ["1 1"]),
        ("atomtypes", [f"{kind} 72.0 0.0 A 0.0 0.0" for kind in TYPES]),
        ("nonbond_params", pairs),
        ("moleculetype", ["DOPC 1"]),
        ("atoms", atoms),
        ("bonds", bonds),
        ("angles", angles),
        ("moleculetype", ["W 1"]),
        ("atoms", ["1 P4 1 W W 1 0"]),
        ("system", ["bilayer"]),
        ("molecules", [f"DOPC {2 * LIPIDS**2}", f"W {waters}"]),
    ]
    return "".join(f"[ {name} ]\n" + "\n".join(lines) + "\n" for name, lines in parts)


def lipid(x, y, up):
    """Beads of a lipid that stands on the middle of the bilayer, or hangs from it."""
    heights = [2.4, 2.05, 1.7, 1.6, 1.3, 0.95, 0.6, 0.25, 1.2, 0.85, 0.5, 0.15]
    for k, z in enumerate(heights):
        second = k == 3 or k >= 8
        yield x + (0.2 if second else -0.2), y + 0.03 * (-1) ** k, HEIGHT / 2 + (z if up else -z)


def positions():
    cells = list(itertools.product(range(LIPIDS), repeat=2))
    for up in (True, False):
        for i, j in cells:
            yield from lipid((i + 0.5) * SPACING, (j + 0.5) * SPACING, up)
    columns = int(SIDE / GRID)
    for layer, i, j in itertools.product(range(LAYERS), range(columns), range(columns)):
        z = HEIGHT / 2 + 2.6 + (layer + 1) * GRID
        yield (i + 0.5) * SIDE / columns, (j + 0.5) * SIDE / columns, z % HEIGHT


def write(folder):
    """conf.gro, which is to be minimised, and topol.top."""
    lipids, beads = 2 * LIPIDS**2, [bead.split()[0] for bead in BEADS.split(", ")]
    places = list(positions())
    labels = [(m + 1, "DOPC", name) for m in range(lipids) for name in beads]
    labels += [(lipids + k + 1, "W", "W") for k in range(len(places) - len(labels))]
    lines = [f"{r:5d}{residue:<5s}{name:>5s}{k + 1:5d}" for k, (r, residue, name) in enumerate(labels)]
    lines = [line + "".join(f"{c:8.3f}" for c in x) for line, x in zip(lines, places)]
    box = f"{SIDE} {SIDE} {HEIGHT}"
    (folder / "conf.gro").write_text("\n".join(["bilayer", str(len(lines)), *lines, box]) + "\n")
    (folder / "topol.top").write_text(topology(len(places) - lipids * len(beads)))
