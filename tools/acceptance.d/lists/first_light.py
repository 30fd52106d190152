"""Real proteins and water on any number of ranks, bit for bit, restarted from any step."""

import bits
import canonical
import energies
import fresh_clone
import physics
import refusals
import restarts
import speed
import virial

CASES = {
    name: case
    for part in (fresh_clone, bits, restarts, energies, virial, physics, canonical, refusals, speed)
    for name, case in part.CASES.items()
}
