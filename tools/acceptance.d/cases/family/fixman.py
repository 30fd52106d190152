"""Item 6: shapes of constrained molecules, with and without the Fixman potential, and with springs in their place."""

import itertools
import math

import numpy

from cases.constraints.ensembles import bonds, each_frame, judge, squared_cosine
from support import ensembles
from support import holon_runner as holon

QUIET = {"checkpoint_interval": 2000, "checkpoint_sync": 60, "nstxout_compressed": 0}
KT = ensembles.BOLTZMANN * 300.0
HOURS = 3600

WAYS = {
    "constrained": {"constraint_algorithm": "newton"},
    "fixman": {"constraint_algorithm": "newton", "fixman": "yes"},
    # Softer than anybody would have them: what they do to a length goes as 1/k, the square of the tolerance.
    "springs 0.04": {"constraint_algorithm": "springs", "spring_tolerance": 0.04, "dt": 0.0025},
    "springs 0.08": {"constraint_algorithm": "springs", "spring_tolerance": 0.08, "dt": 0.005},
}


def run(report, way, steps, every, files=None):
    """A run of so many steps of 0.01 ps, or of the same time; a frame for `every` steps."""
    how = dict(WAYS[way])
    finer = round(0.01 / how.setdefault("dt", 0.01))
    output = {"nstxout": every * finer, "nstfout": 5 * every * finer, "nstcfout": 5 * every * finer}
    return holon.run(
        report.work / way.replace(" ", "-"),
        files or holon.input_files(report.work),
        2,
        timeout=6 * HOURS,
        nsteps=steps * finer,
        **QUIET | how | output,
    )


def stretch(edges, positions):
    """Mean length of the bonds of trimers, relative to that of rigid ones, less 1."""
    x = positions.reshape(-1, 3, 3)
    lengths = [numpy.linalg.norm(bonds(x, edges, 1, end), axis=1) for end in (0, 2)]
    return float(numpy.mean(lengths)) / ensembles.TRIMER_BOND - 1


def trimers(report):
    """sd: <cos^2> of trimers: 0.3210 by rigid bonds, 1/3 with the Fixman potential and with springs, 160 ps each"""
    ensembles.trimers(report.work, molecules=6000, dt=0.01)
    for way in WAYS:
        result = run(report, way, 16000, 20)
        expected = ensembles.trimer_average() if way == "constrained" else 1 / 3
        judge(report, f"{way}: <cos^2>", each_frame(result.folder, squared_cosine)[40:], expected, 5e-4, 2.5e-4)
        if not way.startswith("springs"):
            continue
        tolerance = WAYS[way]["spring_tolerance"]
        # p(r) ~ r^2 exp(-(r - d)^2 / (2 tolerance^2 d^2)): mean (1 + 3 t^2) / (1 + t^2), 1 + 2kT / (k d^2) of large k.
        exact = 2 * tolerance**2 / (1 + tolerance**2)
        series = each_frame(result.folder, lambda x, edges: stretch(edges, x))[40:]
        judge(report, f"{way}: mean stretch / d", series, exact, 0.03 * exact, 0.01 * exact)


def tension(folder, fields):
    """Mean tension of bonds times their length / kT, of each frame: forces of these fields on the ends of trimers."""
    frames = each_frame(folder, lambda x, _: x)[::5]
    edges = each_frame(folder, lambda _, edges: edges)[::5]
    total = 0.0
    for field in fields:
        series = []
        for f, x, box in zip(each_frame(folder, lambda f, _: f, field), frames, edges):
            d = [bonds(x.reshape(-1, 3, 3), box, end, 1) for end in (0, 2)]
            pull = [(f.reshape(-1, 3, 3)[:, end] * d[k]).sum(axis=1) for k, end in enumerate((0, 2))]
            series.append(numpy.mean(pull) / KT)
        total = total + numpy.array(series)
    return total


def forces(report):
    """sd: the mean force of springs is that of the multipliers, 2 kT / d; of these and the Fixman potential together"""
    ensembles.trimers(report.work, molecules=2500, dt=0.01)
    fields = {"constrained": ["constraint_force"], "fixman": ["constraint_force", "force"], "springs 0.04": ["force"]}
    for way, of in fields.items():
        # The force of a spring fluctuates by 25 times its mean here, and from one period of it to the next.
        result = run(report, way, 20000, 2) if way.startswith("springs") else run(report, way, 6000, 5)
        series = tension(result.folder, of)[20:]
        # Springs: the mean of k (r - d) d is 2 kT d <1/r>; that of force times bond is 3 kT.
        expected = 3.0 if way.startswith("springs") else 2.0
        judge(report, f"{way}: <force . bond> / kT", series, expected, 0.03, 0.01)
    springs = each_frame(result.folder, lambda x, edges: stretch(edges, x))[100:]
    judge(report, "springs: <k (r - d)> d / kT", springs / WAYS["springs 0.04"]["spring_tolerance"] ** 2, 2.0, 0.06, 0.02)


BEADS, BOND, ANGLE, MASS = 5, 0.15, math.radians(110.0), 15.0


def chain_points(torsions):
    """Positions [bead][xyz] of a chain of these torsions, 0 in cis."""
    x = [numpy.zeros(3), numpy.array([BOND, 0, 0])]
    x.append(x[1] + BOND * numpy.array([-math.cos(ANGLE), math.sin(ANGLE), 0]))
    for torsion in torsions:
        u = (x[-1] - x[-2]) / BOND
        normal = numpy.cross(x[-2] - x[-3], u)
        normal /= numpy.linalg.norm(normal)
        across = numpy.cross(normal, u)
        side = math.cos(torsion) * across + math.sin(torsion) * normal
        x.append(x[-1] + BOND * (-math.cos(ANGLE) * u + math.sin(ANGLE) * side))
    return numpy.array(x)


PAIRS = [(k, k + 1) for k in range(BEADS - 1)] + [(k, k + 2) for k in range(BEADS - 2)]


def chain_averages(points=48):
    """Means of the cosines of the torsion and of twice the torsion, by sqrt(det A) of rigid bonds and angles."""
    grid = (numpy.arange(points) + 0.5) / points * 2 * math.pi
    sums = numpy.zeros(3)
    for torsions in itertools.product(grid, repeat=BEADS - 3):
        x = chain_points(torsions)
        gradients = numpy.zeros((len(PAIRS), BEADS, 3))
        for row, (i, j) in zip(gradients, PAIRS):
            row[i], row[j] = x[i] - x[j], x[j] - x[i]
        g = gradients.reshape(len(PAIRS), -1)
        weight = math.sqrt(numpy.linalg.det(g @ g.T / MASS * 1e3))
        sums += weight * numpy.array([1.0, numpy.cos(torsions).mean(), numpy.cos(2 * numpy.array(torsions)).mean()])
    return sums[1:] / sums[0]


def write_chains(folder, molecules):
    random = numpy.random.default_rng(2)
    edge = (molecules / 3.0) ** (1 / 3)
    shapes = numpy.array([chain_points(t) for t in 2 * math.pi * random.random((molecules, BEADS - 3))])
    turns = numpy.array([numpy.linalg.qr(random.normal(size=(3, 3)))[0] for _ in range(molecules)])
    positions = edge * random.random((molecules, 1, 3)) + numpy.einsum("mab,mkb->mka", turns, shapes)
    lengths = {1: BOND, 2: 2 * BOND * math.sin(ANGLE / 2)}
    constraints = "".join(f"{i + 1} {j + 1} 1 {lengths[j - i]:.12f}\n" for i, j in PAIRS)
    atoms = "".join(f"{k} B 1 CHN B{k} {k} 0.0 {MASS}\n" for k in range(1, BEADS + 1))
    topology = f"""[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
B {MASS} 0.0 A 0.0 0.0
[ moleculetype ]
Chain 5
[ atoms ]
{atoms}[ constraints ]
{constraints}[ system ]
Chains
[ molecules ]
Chain {molecules}
"""
    cutoffs = {"coulombtype": "cut-off", "rcoulomb": 0.2, "rvdw": 0.2}
    names = [f"B{k}" for k in range(1, BEADS + 1)]
    atoms = ensembles.labels("CHN", names, molecules), positions.reshape(-1, 3)
    ensembles.write(folder, "Chains", atoms, [edge] * 3, topology, {**ensembles.langevin(0.01, 0.2, 300.0, 1), **cutoffs})


def torsion_averages(positions, edges):
    x = positions.reshape(-1, BEADS, 3)
    b = [bonds(x, edges, k, k + 1) for k in range(BEADS - 1)]
    cosines = []
    for first, second, third in zip(b, b[1:], b[2:]):
        n, m = numpy.cross(first, second), numpy.cross(second, third)
        cosines.append((n * m).sum(axis=1) / numpy.sqrt((n * n).sum(axis=1) * (m * m).sum(axis=1)))
    cosine = numpy.array(cosines)
    return [float(cosine.mean()), float((2 * cosine**2 - 1).mean())]


def chain(report):
    """sd: torsions of chains of five beads, bonds and angles rigid: uniform with the Fixman potential and with springs"""
    write_chains(report.work, 3000)
    rigid = chain_averages()
    for way in ("constrained", "fixman", "springs 0.04"):
        result = run(report, way, 12000, 20)
        both = each_frame(result.folder, torsion_averages)[40:]
        for name, series, expected in zip(("<cos phi>", "<cos 2 phi>"), both.T, rigid):
            judge(report, f"{way}: {name}", series, expected if way == "constrained" else 0.0, 3e-3, 1e-3)


CASES = {"6.trimers": trimers, "6.forces": forces, "6.chain": chain}
