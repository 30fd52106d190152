"""A step made of parts, state with an owner, a box that can change: with the trajectories of before."""

import house_bits

CASES = {name: case for part in (house_bits,) for name, case in part.CASES.items()}
