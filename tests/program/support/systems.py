"""Systems that acceptance cases make from others: written, scaled and replicated .gro files and topologies."""

import re

import numpy


def read_gro(path):
    """Title, the first 20 columns of each atom line, positions [atom][xyz], velocities or None, box rows [nm]."""
    with open(path) as file:
        title = file.readline().rstrip("\n")
        count = int(file.readline())
        lines = [file.readline().rstrip("\n") for _ in range(count)]
        numbers = [float(word) for word in file.readline().split()]
    dots = [match.start() for match in re.finditer(r"\.", lines[0][20:])]
    width = dots[1] - dots[0]
    columns = [[float(line[20 + k * width : 20 + (k + 1) * width]) for k in range(3)] for line in lines]
    velocities = None
    if len(lines[0]) > 20 + 3 * width:
        at = 20 + 3 * width
        step = width  # velocities have one decimal more in the same width
        velocities = numpy.array(
            [[float(line[at + k * step : at + (k + 1) * step]) for k in range(3)] for line in lines]
        )
    numbers += [0.0] * (9 - len(numbers))
    xx, yy, zz, xy, xz, yx, yz, zx, zy = numbers
    box = numpy.array([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]])
    return title, [line[:20] for line in lines], numpy.array(columns), velocities, box


def write_gro(path, title, labels, positions, velocities, box, decimals=3):
    """Writes a .gro file with `decimals` decimals of the positions; all nine box numbers, at 12 decimals."""
    width = decimals + 5
    with open(path, "w") as file:
        file.write(f"{title}\n{len(labels)}\n")
        for k, label in enumerate(labels):
            line = "".join(f"{value:{width}.{decimals}f}" for value in positions[k])
            if velocities is not None:
                line += "".join(f"{value:{width}.{decimals + 1}f}" for value in velocities[k])
            file.write(label + line + "\n")
        order = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
        file.write(" ".join(f"{box[i][j]:.12f}" for i, j in order) + "\n")


def nearest(vectors, box):
    """Nearest images of vectors [nm] in a rectangular box, given by its rows."""
    edges = numpy.diag(box)
    return vectors - numpy.round(vectors / edges) * edges


def relabel(labels, copies):
    """Labels of `copies` of a system one after another, with residue and atom numbers that go on."""
    residues = [int(label[:5]) for label in labels]
    starts = [k == 0 or residues[k] != residues[k - 1] for k in range(len(labels))]
    residue = atom = 0
    for _ in range(copies):
        for label, start in zip(labels, starts):
            residue, atom = residue + start, atom + 1
            yield f"{residue % 100000:5d}{label[5:15]}{atom % 100000:5d}"


def multiply_molecules(topology, copies):
    """Text of a topology of `copies` copies of a system of one kind of molecule."""
    head, molecules = topology.split("[ molecules ]")
    name, count = next(line.split() for line in molecules.splitlines() if line.strip() and not line.startswith(";"))
    return f"{head}[ molecules ]\n{name} {int(count) * copies}\n"


def replicate(source, target, counts, box_rows=None):
    """Fills the box of counts[k] copies of a cubic input along each axis; writes conf.gro and topol.top to `target`.

    `box_rows`: other vectors of the same lattice of copies, as multiples of the cube's edge; the system is the same.
    """
    title, labels, positions, velocities, box = read_gro(source / "conf.gro")
    edge = box[0][0]
    shifts = [
        edge * numpy.array([i, j, k]) for i in range(counts[0]) for j in range(counts[1]) for k in range(counts[2])
    ]
    rows = numpy.diag(counts) if box_rows is None else numpy.array(box_rows)
    write_gro(
        target / "conf.gro",
        title,
        list(relabel(labels, len(shifts))),
        numpy.concatenate([positions + s for s in shifts]),
        None if velocities is None else numpy.concatenate([velocities] * len(shifts)),
        edge * rows,
    )
    topology = (source / "topol.top").read_text()
    (target / "topol.top").write_text(multiply_molecules(topology, len(shifts)))
    (target / "md.mdp").write_text((source / "md.mdp").read_text())


SKEWED = [[2, 0, 0], [1, 1, 0], [1, 0, 1]]  # box rows for two cubes


def triclinic_water(source, target):
    """Twice a cube of water in a skewed cell, (2L,0,0) (L,L,0) (L,0,L): periodic exactly as two cubes side by side."""
    replicate(source, target, (2, 1, 1), SKEWED)


CHAIN_HEAD = """\
[ defaults ]
1 2 no
[ atomtypes ]
CH2  6  14.027  0.0  A  0.39    0.38
AR  18  39.948  0.0  A  0.3405  0.99774
"""


def chain_type(beads, end_mass=14.027):
    """A molecule type of united atoms, bonds that can be constrained and soft angles."""
    lines = ["[ moleculetype ]", "CHAIN 3", "[ atoms ]"]
    masses = [end_mass, *[14.027] * (beads - 2), end_mass]
    lines += [f"{k} CH2 1 CHAIN C{k} {k} 0.0 {mass}" for k, mass in enumerate(masses, 1)]
    lines += ["[ bonds ]", *(f"{k} {k + 1} 1 0.153 224262.4" for k in range(1, beads))]
    lines += ["[ angles ]", *(f"{k} {k + 1} {k + 2} 1 112.0 100.0" for k in range(1, beads - 1))]
    return "\n".join(lines) + "\n"


def zigzag(beads):
    """Positions of a chain along x [nm], its middle at the origin."""
    half = numpy.radians(112.0 / 2)
    x = 0.153 * numpy.sin(half) * (numpy.arange(beads) - 0.5 * (beads - 1))
    y = 0.153 * numpy.cos(half) * (numpy.arange(beads) % 2 - 0.5)
    return numpy.stack([x, y, numpy.zeros(beads)], axis=1)


def chains(target, beads=8, edge=4, spacing=(1.5, 1.0, 1.0), end_mass=14.027):
    """A gas of chains that are flexible but for their bonds, edge^3 of them, at 300 K."""
    cells = [numpy.array([i, j, k]) for i in range(edge) for j in range(edge) for k in range(edge)]
    spacing = numpy.array(spacing)
    positions = numpy.concatenate([zigzag(beads) + (cell + 0.5) * spacing for cell in cells])
    labels = [f"{m + 1:5d}CHAIN{f'C{k + 1}':>5}{(m * beads + k + 1) % 100000:5d}" for m in range(len(cells)) for k in range(beads)]
    write_gro(target / "conf.gro", "Chains", labels, positions, None, numpy.diag(edge * spacing), 6)
    system = f"[ system ]\nChains\n[ molecules ]\nCHAIN {len(cells)}\n"
    (target / "topol.top").write_text(CHAIN_HEAD + chain_type(beads, end_mass) + system)
    (target / "md.mdp").write_text(
        "integrator = md-vv\ndt = 0.002\nrcoulomb = 0.9\nrvdw = 0.9\ngen-vel = yes\ngen-temp = 300\ngen-seed = 1\n"
    )


def lonely_chain(source, target, beads=8, speed=1.5):
    """The argon of an input with one constrained chain that flies through it at `speed` [nm/ps] across its length."""
    _, labels, positions, velocities, box = read_gro(source / "conf.gro")
    chain = zigzag(beads) + 0.4 * numpy.diag(box)
    gaps = nearest(positions[:, None, :] - chain[None, :, :], box)
    kept = numpy.linalg.norm(gaps, axis=2).min(axis=1) > 0.33
    labels = [f"{1:5d}CHAIN{f'C{k + 1}':>5}{k + 1:5d}" for k in range(beads)]
    labels += [f"{k + 2:5d}AR      AR{beads + k + 1:5d}" for k in range(kept.sum())]
    flight = numpy.tile([0.1 * speed, speed, speed], (beads, 1))
    write_gro(
        target / "conf.gro",
        "A chain in argon",
        labels,
        numpy.concatenate([chain, positions[kept]]),
        numpy.concatenate([flight, velocities[kept]]),
        box,
    )
    argon = "[ moleculetype ]\nAR 1\n[ atoms ]\n1 AR 1 AR AR 1 0.0\n"
    system = f"[ system ]\nA chain in argon\n[ molecules ]\nCHAIN 1\nAR {kept.sum()}\n"
    (target / "topol.top").write_text(CHAIN_HEAD + chain_type(beads) + argon + system)
    (target / "md.mdp").write_text((source / "md.mdp").read_text() + "\nconstraints = all-bonds\n")
