"""Level with GROMACS for AVX-512 and ahead of it, on any number of ranks, without losing a bit."""

import balance
import speed_bits
import speed_errors
import speed_projection
import speed_sizes
import speed_turns

CASES = {
    name: case
    for part in (speed_turns, speed_errors, speed_bits, speed_sizes, speed_projection, balance)
    for name, case in part.CASES.items()
}
