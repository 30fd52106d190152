"""Time of a step from the cost of the work and what is sent: computing, halo, mesh, reductions, one after the other.

Nothing overlaps in the model, though in Holon the mesh and bonded forces hide halo messages; nor does it know of noise,
of memory that several ranks share, or of contention in the network. It is a projection.
"""

import dataclasses
import math

import numpy

import decomposition


@dataclasses.dataclass(frozen=True)
class Costs:
    """CPU time of one core [s] per step: of an owned atom, of a copy or image, of an owned atom in the mesh's spreading
    and interpolating, of a grid point."""

    atom: float
    copy: float
    mesh_atom: float
    point: float


@dataclasses.dataclass(frozen=True)
class System:
    """Uniform liquid in a rectangular box. Lengths in nm, `halos` with the list's skin: see decomposition.Halo; `dt` in ps."""

    atoms: int
    box: tuple
    grid: tuple
    window: int
    halos: tuple
    dt: float = 0.002
    reach: float = 0.1  # by which atoms stick out of their domains

    @property
    def halo(self):
        """The widest [nm]."""
        return max(width for width, _ in self.halos)

    @property
    def density(self):
        return self.atoms / math.prod(self.box)


def halos_of_water(widest, of_charges):
    """Of oxygens, and of hydrogens, which have no Lennard-Jones [nm]."""
    return ((widest, 1.0 / 3.0), (of_charges, 2.0 / 3.0))


def water(atoms, halos=halos_of_water(1.38, 1.1), spacing=0.2, window=5, density=100.2):
    """Water in a cube; `halos` and the `spacing` of the mesh as runs print them."""
    edge = (atoms / density) ** (1.0 / 3.0)
    return System(atoms, (edge,) * 3, (smooth(edge / spacing),) * 3, window, halos)


def halos_of(summary):
    """Of a run of water."""
    return halos_of_water(*(summary["communication"][key] for key in ("halo_width_nm", "halo_of_charges_nm")))


def water_of(runs):
    """Arguments of water(): halos, and spacing [nm] and window of the mesh, of the first run of the largest system."""
    largest = max(runs, key=lambda summary: summary["atoms"])
    mesh = largest["mesh"]
    return {"halos": halos_of(largest), "spacing": max(mesh["spacing_nm"]), "window": mesh["width"]}


def smooth(points):
    """The next length with fast transforms: src/mesh/mesh_settings.cpp."""
    n = max(4, math.ceil(points - 1e-6))
    while True:
        rest = n
        for factor in (2, 3, 5, 7):
            while rest % factor == 0:
                rest //= factor
        if rest in (1, 11, 13):
            return n
        n += 1


def message_time(network, near, far, near_bytes, far_bytes, ranks_per_node):
    """Of one exchange in which a rank sends so many messages and bytes within its node and to others [s]."""
    latency = network.latency if far > 0 else network.local_latency if near > 0 else 0.0
    messages = max(0.0, near + far - 1.0) * network.overhead
    wire = far_bytes * ranks_per_node / network.node_bandwidth + near_bytes / network.local_bandwidth
    return latency + messages + wire


def transpose_time(network, partners, near, bytes_, per_node):
    """Each pencil swaps `bytes_` with `partners`, of which `near` others are on its node, `per_node` pencils each [s]."""
    if partners <= 1:
        return 0.0
    far = partners - 1 - near
    moved = bytes_ / partners
    wire = far * moved * per_node / network.node_bandwidth + near * moved / network.local_bandwidth
    return network.all_to_all_gap * far + network.local_latency * near + wire


def mesh_times(system, costs, network, cores, counts, layout=None, per_node=None):
    """Mesh, seconds in transforms, seconds in the exchange with bricks; `per_node`: of the ranks."""
    several = cores > network.cores_per_node
    mesh = decomposition.Mesh(
        system.box, counts, system.grid, system.window, system.reach, layout, several_computers=several
    )
    per_node = per_node or min(cores, network.cores_per_node)
    pencils = math.prod(mesh.layout)
    transforms = transform_time(system, network, mesh.layout, costs, per_node * pencils / cores)
    messages = mesh.brick_messages / 2 / pencils  # a pencil's, which has more to do than a rank's brick
    far = cores > per_node
    bytes_ = mesh.brick_bytes / 2 / cores
    bricks = 2 * message_time(
        network, 0 if far else messages, messages if far else 0, 0 if far else bytes_, bytes_ if far else 0, per_node
    )
    return mesh, transforms, bricks


def fastest_mesh(system, costs, network, cores, counts):
    """mesh_times() with the pencils that are best: more share the work, fewer send less."""
    sides = sorted({*range(1, 9), *(2**k for k in range(3, 12)), *(3 * 2**k for k in range(2, 11))})
    layouts = [
        (fx, fy)
        for fx in sides
        for fy in {1, max(1, fx // 4), max(1, fx // 2), fx}
        if fx <= min(system.grid[:2]) and fy <= min(system.grid[1], system.grid[2] // 2 + 1) and fx * fy <= cores
    ]
    times = (mesh_times(system, costs, network, cores, counts, layout) for layout in layouts)
    return min(times, key=lambda found: found[1] + found[2])


def transform_time(system, network, layout, costs, per_node):
    """Both ways; pencils are numbered along y first, `per_node` of them on each node [s]."""
    fx, fy = layout
    pencil = math.prod(system.grid) / (fx * fy)
    bytes_ = pencil / 2 * decomposition.MODE_BYTES
    per_node = max(1.0, min(fx * fy, per_node))
    along_y = transpose_time(network, fy, min(fy, per_node) - 1, bytes_, per_node)
    along_x = transpose_time(network, fx, min(fx, max(1.0, per_node / fy)) - 1, bytes_, per_node)
    return pencil * costs.point + 2 * (along_x + along_y)


def step(system, costs, network, cores, imbalance=1.05, best=False):
    """Seconds of a step by part, on one rank per core."""
    nodes_ranks = min(cores, network.cores_per_node)
    counts = decomposition.choose_grid(cores, system.box, system.halo)
    halo = decomposition.Halo(system.box, counts, system.halos, system.reach, system.density)
    sent = halo.sent(network.cores_per_node)
    parts = {"work": imbalance * (halo.home * (costs.atom + costs.mesh_atom))}
    parts["copies"] = (sent["copies"] + sent["images"]) * costs.copy
    near_bytes = (sent["copies"] - sent["far_copies"]) * decomposition.COPY_BYTES
    far_bytes = sent["far_copies"] * decomposition.COPY_BYTES
    parts["halo"] = 2 * message_time(
        network, sent["messages"] - sent["far_messages"], sent["far_messages"], near_bytes, far_bytes, nodes_ranks
    )
    times = fastest_mesh if best else mesh_times
    mesh, parts["transforms"], parts["bricks"] = times(system, costs, network, cores, counts)
    rounds = network.latency * math.log2(cores)  # of a reduction or barrier over all ranks
    parts["reductions"] = REDUCTIONS * rounds
    parts["repartition"] = EXCHANGES * (2 * rounds + sent["messages"] * network.overhead) / REPARTITION_STEPS
    return parts, {"domains": counts, "pencils": mesh.layout, "home": halo.home, **sent, "mesh": mesh}


def step_with_ranks_of_its_own(system, costs, network, cores):
    """As GROMACS does it: some ranks do nothing but the mesh, from positions that the others send them to the forces that
    they send back, and meanwhile the others do all else. Seconds of a step by part, for the best number of them, and how
    many that are. Mesh ranks get the atoms of their own pencils, so that bricks meet at their faces only."""
    found = []
    for share in (1 / 8, 1 / 6, 1 / 4, 1 / 3, 1 / 2):
        few = max(1, round(cores * share))
        fx = max(n for n in range(1, min(few, *system.grid[:2]) + 1) if n * n <= few)
        fy = min(few // fx, system.grid[1], system.grid[2] // 2 + 1)
        few = fx * fy
        on_node = min(cores, network.cores_per_node) * few / cores  # of the mesh ranks
        rest = step(system, costs, network, cores - few)[0]
        # The largest message comes from the mesh rank's side.
        sent = system.atoms / few * decomposition.COPY_BYTES
        far = cores > network.cores_per_node
        partners = cores / few - 1.0
        to_others = message_time(
            network, 0 if far else partners, partners if far else 0, 0 if far else sent, sent if far else 0, on_node
        )
        mesh, transforms, bricks = mesh_times(system, costs, network, few, (fx, fy, 1), (fx, fy), on_node)
        of_mesh = system.atoms / few * costs.mesh_atom + transforms + bricks + 2 * to_others
        work = rest["work"] * costs.atom / (costs.atom + costs.mesh_atom)
        of_others = work + rest["copies"] + rest["halo"]
        both = rest["reductions"] + rest["repartition"]
        found.append((max(of_mesh, of_others) + both, few))
    return min(found)


REDUCTIONS = 2  # over all ranks per step: the vote, and the kinetic energy of the thermostat
EXCHANGES = 6  # with unknown partners at a repartition: atoms, copies, named copies (3), bricks
REPARTITION_STEPS = 15


def ns_per_day(system, seconds):
    return system.dt * 1e-3 * 86400.0 / seconds


def fit_costs(runs):
    """Costs from summaries of runs on one rank: least squares, none below zero.

    Runs of several sizes tell atoms from images, runs with several mesh accuracies tell atoms from grid points; what the
    runs do not tell apart is counted for atoms.
    """
    work, mesh, rows, mesh_rows = [], [], [], []
    for summary in runs:
        if summary["ranks"] != 1 or "mesh" not in summary or summary["end_step"] == summary["start_step"]:
            raise ValueError("costs come from runs with a mesh, on one rank, of at least one step")
        steps = summary["end_step"] - summary["start_step"]
        timings = summary["cpu_timings_s"]
        box = [n * h for n, h in zip(summary["mesh"]["grid"], summary["mesh"]["spacing_nm"])]
        images = images_of(box, halos_of(summary)) * summary["atoms"]
        parts = ("pair", "bonded", "halo", "constraints", "integrate", "pair-list", "repartition", "checkpoint")
        work.append(sum(timings[part] for part in parts) / steps)
        mesh.append(timings["mesh"] / steps)
        rows.append([summary["atoms"], images])
        mesh_rows.append([summary["atoms"], math.prod(summary["mesh"]["grid"])])
    atom, copy = fit(rows, work)
    mesh_atom, point = fit(mesh_rows, mesh)
    return Costs(atom, copy, mesh_atom, point)


def images_of(box, halos, reach=0.1):
    """Periodic images per atom on one rank."""
    return sum(share * (math.prod(1.0 + (width + reach) / edge for edge in box) - 1.0) for width, share in halos)


def fit(rows, values):
    """Coefficients of two columns, relative errors weighing alike; one alone if the other would be negative."""
    rows, values = numpy.array(rows, float), numpy.array(values, float)
    weighted = rows / values[:, None]
    if len(rows) > 1 and numpy.linalg.cond(weighted / numpy.abs(weighted).max(axis=0)) < 1e3:
        first, second = numpy.linalg.lstsq(weighted, numpy.ones(len(rows)), rcond=None)[0]
        if first > 0.0 and second > 0.0:
            return float(first), float(second)
    return float(numpy.linalg.lstsq(weighted[:, :1], numpy.ones(len(rows)), rcond=None)[0][0]), 0.0
