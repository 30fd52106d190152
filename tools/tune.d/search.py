"""Candidates of how to share a system out, and the search for the fastest by short runs that get longer."""

import dataclasses
import itertools
import math
import operator


@dataclasses.dataclass(frozen=True)
class Layout:
    """So many ranks of so many threads; domains along a, b, c; on how many ranks the mesh is at most, 0: as Holon chooses."""

    ranks: int
    threads: int
    domains: tuple
    mesh_ranks: int = 0

    @property
    def grid(self):
        return "x".join(map(str, self.domains))

    @property
    def keys(self):
        # Always both: what an .mdp file says of either would hold else.
        return {"domains": self.grid, "mesh_ranks": self.mesh_ranks}

    @property
    def with_fewer_mesh_ranks(self):
        """The same with the mesh on a half, a quarter, ... of the ranks."""
        halves = (self.ranks >> k for k in range(1, self.ranks.bit_length()))
        return [dataclasses.replace(self, mesh_ranks=n) for n in halves]

    def __str__(self):
        mesh = f", mesh on {self.mesh_ranks} ranks" if self.mesh_ranks else ""
        return f"{self.ranks} ranks x {self.threads} threads, domains {self.grid}{mesh}"


def divisors(n):
    return [k for k in range(1, n + 1) if n % k == 0]


def grids(ranks):
    """All ways of cutting a box into so many domains."""
    return [(a, b, ranks // a // b) for a in divisors(ranks) for b in divisors(ranks // a)]


def copies(domains, lengths, reach):
    """Volume within reach of the lower faces of a domain, over that of the domain: what it has to ask others for."""
    sides = [length / n for length, n in zip(lengths, domains)]
    with_halo = math.prod(side + (reach if n > 1 else 0.0) for side, n in zip(sides, domains))
    return with_halo / math.prod(sides) - 1.0


def candidates(cores, lengths, ranks=None, reach=1.0, grids_each=10):
    """Layouts that fill the cores, or with one of these numbers of ranks on all cores.

    For each number of ranks those `grids_each` grids of domains that need the fewest copies: a search over hundreds
    of grids would find noise.
    """
    found = []
    for n in ranks or divisors(cores):
        by_copies = sorted(grids(n), key=lambda domains: (copies(domains, lengths, reach), domains))
        found += [Layout(n, max(1, cores // n), domains) for domains in by_copies[:grids_each]]
    return found


def fastest(layouts, run, first_steps, rounds=3, finals=2, margin=0.16, report=None, favoured=None, gain=0.0):
    """The layout with the most ns/day, and all figures: {layout: [ns/day, ...]}.

    `run(layout, steps)`: ns/day, or None where the layout can not be. Every round takes those left in turns, in changing
    order, with twice the steps of the round before, and leaves out what is behind the best by more than a margin, which
    shrinks as the noise of longer runs does. `finals` more rounds are as long as the last. Ratios to the best of the same
    round decide, weighted by their steps: a short run says as much less as it is shorter. Where the last rounds had the
    `favoured` one, another has to be faster by `gain`.
    """
    speeds = {layout: [] for layout in layouts}
    left = list(layouts)
    ratios = {}
    doublings = [*range(rounds), *[rounds - 1] * finals]
    for turn, doubling in enumerate(doublings):
        steps = first_steps << doubling
        found = {}
        for layout in left if turn % 2 == 0 else reversed(left):
            speed = run(layout, steps)
            if speed is not None:
                found[layout] = speed
                speeds[layout].append(speed)
            if report:
                report(layout, steps, speed)
        left = [layout for layout in left if layout in found]
        if not left:
            return None, speeds
        most = max(found.values())
        for layout in left:
            ratios.setdefault(layout, []).append(found[layout] / most)
        weights = [1 << past for past in doublings[: turn + 1]]
        scores = {layout: sum(map(operator.mul, ratios[layout], weights)) / sum(weights) for layout in left}
        limit = max(scores.values()) - margin * 0.5 ** (doubling / 2.0)
        left = [layout for layout in left if scores[layout] >= limit]
    best = max(left, key=scores.get)
    is_clear = favoured not in left or scores[best] > (1.0 + gain) * scores[favoured]
    return (best if is_clear else favoured), speeds


def with_fewer_mesh_ranks(best, run, first_steps, rounds, finals=2, gain=0.02, report=None):
    """`best`, or the same with the mesh on fewer ranks where that is faster by as much as noise is not; all figures."""
    layouts = [best, *best.with_fewer_mesh_ranks]
    found, speeds = fastest(layouts, run, first_steps, rounds, finals, report=report, favoured=best, gain=gain)
    return found or best, speeds


def all_of(cores, ranks):
    """Every layout without exception, for an exhaustive search."""
    numbers = ranks or divisors(cores)
    return list(itertools.chain.from_iterable((Layout(n, max(1, cores // n), grid) for grid in grids(n)) for n in numbers))
