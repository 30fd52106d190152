"""Pressure, temperature, time steps."""

from cases.ensembles import bits, chain, conserved, cost, densities, ratios, volumes

PARTS = (bits, volumes, ratios, densities, conserved, chain, cost)
CASES = {name: case for part in PARTS for name, case in part.CASES.items()}
