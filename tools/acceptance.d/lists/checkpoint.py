"""Checkpoints of every step that survive anything, for a per cent or two."""

from cases.checkpoint import chaos as checkpoint_chaos
from cases.checkpoint import cost as checkpoint_cost
from cases.checkpoint import damage as checkpoint_damage
from cases.checkpoint import failures as checkpoint_failures

CASES = {
    name: case
    for part in (checkpoint_chaos, checkpoint_damage, checkpoint_cost, checkpoint_failures)
    for name, case in part.CASES.items()
}
