"""Level with GROMACS for AVX-512 and ahead of it, on any number of ranks, without losing a bit."""

import balance
from cases.speed import bits as speed_bits
from cases.speed import errors as speed_errors
from cases.speed import projection as speed_projection
from cases.speed import sizes as speed_sizes
from cases.speed import tuning as speed_tuning
from cases.speed import turns as speed_turns

CASES = {
    name: case
    for part in (speed_turns, speed_errors, speed_bits, speed_sizes, speed_projection, balance, speed_tuning)
    for name, case in part.CASES.items()
}
