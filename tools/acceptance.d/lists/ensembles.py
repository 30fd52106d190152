"""Pressure, temperature, time steps."""

import ensemble_bits
import ensemble_conserved
import ensemble_cost
import ensemble_volumes

PARTS = (ensemble_bits, ensemble_volumes, ensemble_conserved, ensemble_cost)
CASES = {name: case for part in PARTS for name, case in part.CASES.items()}
