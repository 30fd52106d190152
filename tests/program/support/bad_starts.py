"""Starts from which a minimisation has to find its way down: overlapping atoms and molecules, overstretched bonds.

Each start is made from a seed; START[name](folder) writes conf.gro, topol.top and md.mdp.
"""

import numpy

from support import holon_runner as holon
from support import systems

HEAD = """\
integrator = steep
nsteps = {nsteps}
emtol = {emtol}
emstep = 0.01
nstcalcenergy = 1
nstenergy = 1
cutoff-scheme = Verlet
coulombtype = reaction-field
epsilon-rf = 78
rcoulomb = {cutoff}
rvdw = {cutoff}
{more}
"""


def parameters(more="", nsteps=300, emtol=100, cutoff=0.9):
    return HEAD.format(more=more, nsteps=nsteps, emtol=emtol, cutoff=cutoff)


def write(folder, labels, positions, box, topology, mdp):
    systems.write_gro(folder / "conf.gro", "A bad start", labels, positions, None, numpy.diag(box), 6)
    (folder / "topol.top").write_text(topology)
    (folder / "md.mdp").write_text(mdp)


def random_rotation(rng):
    q, r = numpy.linalg.qr(rng.normal(size=(3, 3)))
    q *= numpy.sign(numpy.diag(r))
    return q * numpy.linalg.det(q)


# ---- atoms without bonds

ARGON = "[ moleculetype ]\nAR 1\n[ atoms ]\n1 AR 1 AR AR 1 0.0\n[ system ]\nArgon\n[ molecules ]\nAR {}\n"


def argon(folder, positions, box):
    labels = [f"{k + 1:5d}AR      AR{k + 1:5d}" for k in range(len(positions))]
    write(folder, labels, positions, box, systems.CHAIN_HEAD + ARGON.format(len(positions)), parameters(emtol=10))


def grid(n, spacing):
    return spacing * (numpy.stack(numpy.meshgrid(*[numpy.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5)


def same_place(folder):
    """A lattice of atoms with two at the same place, two a millionth of a nanometre apart, two 0.001 and two 0.01."""
    positions = grid(6, 0.4)
    for k, gap in enumerate((0.0, 1e-6, 1e-3, 1e-2)):
        positions[40 * k + 3] = positions[40 * k + 4] + [0.6 * gap, 0.0, 0.8 * gap]
    argon(folder, positions, [2.4] * 3)


def random_atoms(folder):
    """Atoms anywhere."""
    argon(folder, numpy.random.default_rng(1).uniform(0.0, 2.6, (300, 3)), [2.6] * 3)


def heap(folder):
    """All atoms within a hundredth of a nanometre, across a corner of the box."""
    rng = numpy.random.default_rng(2)
    argon(folder, rng.uniform(-0.01, 0.01, (64, 3)) % 2.6, [2.6] * 3)


def all_at_one_place(folder):
    """A file in which all coordinates are the same."""
    argon(folder, numpy.full((64, 3), 1.0), [2.6] * 3)


# ---- water

MONOMER = numpy.array([[0.0, 0.0, 0.0], [0.081649, 0.057736, 0.0], [-0.081649, 0.057736, 0.0]])
FLEXIBLE = """\
[ bonds ]
1 2 1 0.1 345000
1 3 1 0.1 345000
[ angles ]
2 1 3 1 109.47 383
"""


def water(folder, positions, box, flexible=False, more=""):
    """`positions`: molecule, atom, axis."""
    labels = []
    for k, name in enumerate(("OW", "HW1", "HW2") * len(positions)):
        labels.append(f"{(k // 3 + 1) % 100000:5d}SOL  {name:>5}{(k + 1) % 100000:5d}")
    head, tail = (holon.INPUTS / "spce" / "topol.top").read_text().split("[ settles ]")
    settles, tail = tail.split("[ exclusions ]")
    binding = FLEXIBLE if flexible else "[ settles ]" + settles
    molecules = f"[ system ]\nWater\n[ molecules ]\nSOL {len(positions)}\n"
    topology = head + binding + "[ exclusions ]" + tail.split("[ system ]")[0] + molecules
    write(folder, labels, positions.reshape(-1, 3), box, topology, parameters(more))


def random_water(folder):
    """Rigid molecules anywhere, turned anyhow: many overlap."""
    rng = numpy.random.default_rng(3)
    molecules = [MONOMER @ random_rotation(rng) + rng.uniform(0.0, 1.9, 3) for _ in range(216)]
    water(folder, numpy.array(molecules), [1.9] * 3)


def doubled_water(folder):
    """Every fourth molecule on a lattice is there twice, atom upon atom."""
    rng = numpy.random.default_rng(4)
    molecules = [MONOMER @ random_rotation(rng) + place for place in grid(5, 0.42)]
    water(folder, numpy.array(molecules + molecules[::4]), [2.1] * 3)


def hydrogen_in_oxygen(folder):
    """Hydrogens, which have no size, at the very place of an oxygen of another molecule."""
    rng = numpy.random.default_rng(5)
    molecules = numpy.array([MONOMER @ random_rotation(rng) + place for place in grid(5, 0.42)])
    for k in range(0, 120, 12):
        molecules[k] += molecules[k + 1, 0] - molecules[k, 1]
    water(folder, molecules, [2.1] * 3)


def torn_water(folder):
    """Flexible molecules whose hydrogens are ten bond lengths away, some of them on the far side of the box."""
    rng = numpy.random.default_rng(6)
    molecules = numpy.array([MONOMER @ random_rotation(rng) + place for place in grid(6, 0.35)])
    for k in range(0, len(molecules), 9):
        molecules[k, 1] = molecules[k, 0] + 10.0 * (molecules[k, 1] - molecules[k, 0])
    water(folder, molecules, [2.1] * 3, flexible=True)


def torn_rigid_water(folder):
    """Rigid molecules whose atoms are nowhere near their triangle."""
    rng = numpy.random.default_rng(7)
    molecules = numpy.array([MONOMER @ random_rotation(rng) + place for place in grid(6, 0.36)])
    molecules[::9, 1] += rng.normal(0.0, 0.15, (24, 3))
    molecules[4::9, 2] = molecules[4::9, 0] + 5.0 * (molecules[4::9, 2] - molecules[4::9, 0])
    water(folder, molecules, [2.16] * 3)


# ---- chains

BEADS = 12


def chains(folder, positions, box, constraints="none"):
    """`positions`: molecule, bead, axis."""
    labels = []
    for k in range(positions.shape[0] * BEADS):
        labels.append(f"{k // BEADS + 1:5d}CHAIN{f'C{k % BEADS + 1}':>5}{k + 1:5d}")
    system = f"[ system ]\nChains\n[ molecules ]\nCHAIN {len(positions)}\n"
    topology = systems.CHAIN_HEAD + systems.chain_type(BEADS) + system
    mdp = parameters(f"constraints = {constraints}")
    write(folder, labels, positions.reshape(-1, 3), box, topology, mdp)


def lattice_of_chains(rng, n=4):
    places = grid(n, 0.6)
    return numpy.array([systems.zigzag(BEADS) @ random_rotation(rng) + place for place in places])


def tangled_chains(folder, constraints="none"):
    """Straight chains in all directions, through each other."""
    chains(folder, lattice_of_chains(numpy.random.default_rng(8)), [2.4] * 3, constraints)


def stretched_chains(folder, constraints="none"):
    """One bond in each chain is ten times as long as it should be, across the box in most cases."""
    positions = lattice_of_chains(numpy.random.default_rng(9), 3)
    for k, chain in enumerate(positions):
        at = 1 + k % (BEADS - 1)
        chain[at:] += 9.0 * (chain[at] - chain[at - 1])
    chains(folder, positions, [3.6] * 3, constraints)


def crumpled_chains(folder, constraints="none"):
    """Chains whose beads are all over a small ball."""
    rng = numpy.random.default_rng(10)
    positions = rng.normal(0.0, 0.08, (27, BEADS, 3)) + grid(3, 0.8)[:, None, :]
    chains(folder, positions, [2.4] * 3, constraints)


START = {
    "same-place": same_place,
    "random-atoms": random_atoms,
    "heap": heap,
    "all-at-one-place": all_at_one_place,
    "random-water": random_water,
    "doubled-water": doubled_water,
    "hydrogen-in-oxygen": hydrogen_in_oxygen,
    "torn-water": torn_water,
    "torn-rigid-water": torn_rigid_water,
    "tangled-chains": tangled_chains,
    "tangled-constrained": lambda folder: tangled_chains(folder, "all-bonds"),
    "stretched-chains": stretched_chains,
    "stretched-constrained": lambda folder: stretched_chains(folder, "all-bonds"),
    "crumpled-chains": crumpled_chains,
    "crumpled-constrained": lambda folder: crumpled_chains(folder, "all-bonds"),
}


def make(name, folder):
    """Writes the start into a folder that is made, if need be; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    START[name](folder)
    return folder
