#!/usr/bin/env python3
"""Writes conf.gro: argon on a disturbed fcc lattice, with Maxwell-Boltzmann velocities and no net momentum.

    inputs/argon/make_conf.py [CELLS] > conf.gro

CELLS fcc unit cells along each edge (6: 864 atoms) at the density of A. Rahman, Phys. Rev. 136, A405 (1964),
1.374 g/cm^3. The temperature falls to half as the lattice melts: 190 K end at about the 94.4 K of that paper.
"""

import math
import random
import sys

MASS = 39.948  # u
DENSITY = 1.374 * 602.214076 / MASS  # atoms/nm^3
TEMPERATURE = 190.0  # K
BOLTZMANN = 8.314462618e-3  # kJ/mol/K
DISTURBANCE = 0.01  # nm


def main(cells):
    rng = random.Random(1964)
    edge = (4 * cells**3 / DENSITY) ** (1 / 3)
    width = math.sqrt(BOLTZMANN * TEMPERATURE / MASS)
    basis = [(0.25, 0.25, 0.25), (0.75, 0.75, 0.25), (0.75, 0.25, 0.75), (0.25, 0.75, 0.75)]
    positions, velocities = [], []
    for cell in range(cells**3):
        corner = (cell // cells**2, cell // cells % cells, cell % cells)
        for site in basis:
            positions.append([(c + s) * edge / cells + rng.gauss(0, DISTURBANCE) for c, s in zip(corner, site)])
            velocities.append([rng.gauss(0, width) for _ in range(3)])
    drift = [sum(v[k] for v in velocities) / len(velocities) for k in range(3)]

    print("Argon")
    print(len(positions))
    for i, (x, v) in enumerate(zip(positions, velocities), 1):
        v = [v[k] - drift[k] for k in range(3)]
        print("%5dAR      AR%5d%8.3f%8.3f%8.3f%8.4f%8.4f%8.4f" % (i % 100000, i % 100000, *x, *v))
    print("%10.5f%10.5f%10.5f" % (edge, edge, edge))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
