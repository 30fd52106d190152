"""What Holon's ranks send each other, counted on virtual ranks: the geometry of src/comm/domain_grid.cpp,
src/system/import_region.cpp, src/mesh/brick_exchange.cpp and src/mesh/fourier_grid.cpp for a box of uniform density.

Copies are expected numbers, volume times density; messages and the bytes of the mesh are exact but for the few points
by which the atoms at the very faces of a domain shift its brick. scaling_model_test.py compares all of them with what
runs print.
"""

import itertools
import math

import numpy

COPY_BYTES = 24  # three 64-bit coordinates or forces
CHARGE_BYTES, POTENTIAL_BYTES, MODE_BYTES = 4, 4, 8  # mixed precision


def import_cost(sides, counts, width):
    """Volume [nm^3] that a domain imports, and a tenth of what it copies from itself: DomainGrid::choose."""
    own = math.prod(sides)
    everything = math.prod(side + width for side in sides)
    unsent = math.prod(side + width if n == 1 else side for side, n in zip(sides, counts))
    return everything - unsent + 0.1 * (unsent - own)


def choose_grid(ranks, box, width):
    """The grid of domains that Holon takes for a rectangular box [nm]."""
    grids = (
        (x, y, ranks // (x * y))
        for x in range(ranks, 0, -1)
        if ranks % x == 0
        for y in range(ranks // x, 0, -1)
        if ranks // x % y == 0
    )
    volume = math.prod(box)  # of equal ones the first, whatever rounding does
    return min(grids, key=lambda n: round(import_cost([b / k for b, k in zip(box, n)], n, width) / volume, 9))


class Halo:
    """Copies of atoms for domains `counts` in a box; `widths`: pairs of how wide a halo is and which share of the atoms
    it is for. Atoms stick out of domains by `reach`. [nm]"""

    def __init__(self, box, counts, widths, reach, density):
        self.counts = tuple(counts)
        sides = [b / n for b, n in zip(box, counts)]
        self.home = density * math.prod(sides)
        from_offset = {}
        for width, share in widths:
            overlap = []  # per axis: part of a domain so many steps further along that is copied
            for side in sides:
                parts = [1.0]
                while (left := 1.0 + (width + reach) / side - len(parts)) > 0.0:
                    parts.append(min(1.0, left))
                overlap.append(parts)
            for offset in itertools.product(*(range(len(parts)) for parts in overlap)):
                if any(offset):
                    copies = share * self.home * math.prod(overlap[k][offset[k]] for k in range(3))
                    from_offset[offset] = from_offset.get(offset, 0.0) + copies
        self.offsets = sorted(from_offset.items())  # (how far along each axis the sender lies, copies from it)

    def receivers(self, offset):
        """Rank that each rank sends its atoms to that lie `offset` further along."""
        cells = numpy.indices(self.counts).reshape(3, -1)
        to = [(cells[k] - offset[k]) % self.counts[k] for k in range(3)]
        return (to[0] * self.counts[1] + to[1]) * self.counts[2] + to[2]

    def sent(self, ranks_per_node=1):
        """Per rank: messages, copies sent to others, and both to other nodes; ranks fill the nodes in order."""
        size = math.prod(self.counts)
        me = numpy.arange(size)
        result = {}
        partners = {}
        for offset, copies in self.offsets:
            to = self.receivers(offset)
            # All ranks are alike on a periodic grid; the node they are on is not.
            partners.setdefault(int(to[0]), to)
            for name, others in (("copies", to != me), ("far_copies", to // ranks_per_node != me // ranks_per_node)):
                result[name] = result.get(name, 0.0) + copies * float(numpy.mean(others))
        result["messages"] = sum(float(numpy.mean(to != me)) for to in partners.values())
        result["far_messages"] = sum(
            float(numpy.mean(to // ranks_per_node != me // ranks_per_node)) for to in partners.values()
        )
        result["images"] = sum(copies for _, copies in self.offsets) - result["copies"]
        return result


def part_of(n, parts):
    """Edges of `parts` nearly equal parts of range(n)."""
    return [n * k // parts for k in range(parts + 1)]


def pencils(grid, ranks, several_computers=False, least_points=1024):
    """How many of the grid's pencils there are along x and y: PencilLayout::choose."""
    per_message, per_exchange = (8e-6, 4e-6) if several_computers else (0.5e-6, 5e-6)
    points = math.prod(grid)
    useful = min(max(points // least_points, 1), ranks)

    def seconds(layout):
        fx, fy = layout
        exchanges = (2 if fx > 1 else 0) + (2 if fy > 1 else 0)
        return points * 10e-9 / (fx * fy) + 2 * (fx + fy - 2) * per_message + exchanges * per_exchange

    layouts = [
        (fx, fy)
        for fy in range(1, min(grid[1], grid[2] // 2 + 1, useful) + 1)
        for fx in range(1, min(useful // fy, grid[0], grid[1]) + 1)
    ]
    return min(layouts, key=seconds)


class Mesh:
    """Traffic of the mesh: bricks of points around the atoms of a domain to pencils and back, four transposes."""

    def __init__(self, box, counts, grid, width, reach, layout=None, moves=0.21, several_computers=False):
        """`width`: of the window in points; `reach`: how far atoms lie out of their domains, `moves`: how far they may
        move before bricks are set up again [nm]."""
        self.grid, self.size = tuple(grid), math.prod(counts)
        self.layout = layout or pencils(grid, self.size, several_computers)
        fx, fy = self.layout
        pencil_ranks = numpy.arange(fx * fy) * self.size // (fx * fy)
        touched = []  # per axis and domain: points in each part of the pencils; along z: points
        for k, parts in ((0, fx), (1, fy), (2, 1)):
            edges = part_of(grid[k], parts)
            spacing = box[k] / grid[k]
            margin = math.floor(moves / spacing) + 1
            rows = []
            for i in range(counts[k]):
                first, last = (
                    math.floor((i + end) * box[k] / counts[k] / spacing + side * reach / spacing - width / 2 + 1)
                    for end, side in ((0, -1), (1, 1))
                )
                points = numpy.arange(first - margin, last + margin + width) % grid[k]
                rows.append(
                    numpy.bincount(numpy.searchsorted(edges, points, side="right") - 1, minlength=parts)
                )
            touched.append(numpy.array(rows))
        hit = [rows > 0 for rows in touched]
        messages = int(hit[0].sum()) * int(hit[1].sum()) * counts[2]
        points = int(touched[0].sum()) * int(touched[1].sum()) * int(touched[2].sum())
        for pencil, rank in enumerate(pencil_ranks.tolist()):  # what stays on a rank is no message
            cell = (rank // (counts[1] * counts[2]), rank // counts[2] % counts[1], rank % counts[2])
            shared = (
                touched[0][cell[0]][pencil // fy] * touched[1][cell[1]][pencil % fy] * touched[2][cell[2]].sum()
            )
            if shared > 0:
                messages -= 1
                points -= int(shared)
        self.brick_messages = 2 * messages
        self.brick_bytes = points * (CHARGE_BYTES + POTENTIAL_BYTES)
        self.transpose_messages = fx * fy * 2 * (fx - 1 + fy - 1)
        self.transpose_bytes = 2 * MODE_BYTES * self._moved(fx, fy)

    def _moved(self, fx, fy):
        """Modes that change ranks in the two transposes of one direction."""
        x, y = part_of(self.grid[0], fx), part_of(self.grid[1], fy)
        ky, kz = part_of(self.grid[1], fx), part_of(self.grid[2] // 2 + 1, fy)
        widths = [numpy.diff(edges) for edges in (x, y, ky, kz)]
        all_modes = self.grid[0] * self.grid[1] * (self.grid[2] // 2 + 1)
        stay_zy = self.grid[0] * int((widths[1] * widths[3]).sum())  # same b: y part b and kz part b
        stay_yx = int((widths[0] * widths[2]).sum()) * (self.grid[2] // 2 + 1)
        return 2 * all_modes - stay_zy - stay_yx

    @property
    def messages(self):
        return self.brick_messages + self.transpose_messages

    @property
    def bytes(self):
        return self.brick_bytes + self.transpose_bytes
