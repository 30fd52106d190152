"""Pressure, temperature, time steps."""

from cases.ensembles import bits, chain, conserved, cost, densities, ratios, time_steps, volumes

PARTS = (bits, volumes, ratios, densities, conserved, time_steps, chain, cost)
CASES = {name: case for part in PARTS for name, case in part.CASES.items()}
