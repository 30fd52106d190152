"""Molecules that the box cuts, put together along their bonds."""

from typing import Any

import numpy
import numpy.typing

Indices = numpy.typing.NDArray[numpy.int64]


def bond_levels(atoms: int, bonds: Indices) -> list[tuple[Indices, Indices]]:
    """Bonds [bond][2] as trees that grow from the first atom of each molecule: (parents, children) for each distance
    from it. No atom is a child twice."""
    neighbours: list[list[int]] = [[] for _ in range(atoms)]
    for i, j in bonds.tolist():
        neighbours[i].append(j)
        neighbours[j].append(i)
    seen = [False] * atoms
    levels: list[tuple[list[int], list[int]]] = []
    for root in range(atoms):
        if seen[root]:
            continue
        seen[root] = True
        front, depth = [root], 0
        while front:
            parents, children = [], []
            for atom in front:
                for other in neighbours[atom]:
                    if not seen[other]:
                        seen[other] = True
                        parents.append(atom)
                        children.append(other)
            if children:
                if depth == len(levels):
                    levels.append(([], []))
                levels[depth][0].extend(parents)
                levels[depth][1].extend(children)
            front, depth = children, depth + 1
    return [(numpy.array(parents), numpy.array(children)) for parents, children in levels]


class MakeWhole:
    """A transformation for trajectories of MDAnalysis: each atom next to the one it is bonded to, in whatever image
    of the box; the first atom of a molecule stays where it is."""

    def __init__(self, mda: Any, atoms: int, bonds: Indices) -> None:
        self._nearest = mda.lib.distances.minimize_vectors
        self._levels = bond_levels(atoms, bonds)

    def __call__(self, frame: Any) -> Any:
        """A frame (Timestep) with a box."""
        x = frame.positions
        for parents, children in self._levels:
            x[children] = x[parents] + self._nearest(x[children] - x[parents], frame.dimensions)
        frame.positions = x
        return frame
