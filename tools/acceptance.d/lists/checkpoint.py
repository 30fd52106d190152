"""Checkpoints of every step that survive anything, for a per cent or two."""

import checkpoint_chaos
import checkpoint_cost
import checkpoint_damage
import checkpoint_failures

CASES = {
    name: case
    for part in (checkpoint_chaos, checkpoint_damage, checkpoint_cost, checkpoint_failures)
    for name, case in part.CASES.items()
}
