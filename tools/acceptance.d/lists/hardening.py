"""Nothing wrong is ever read, nothing hostile gets through."""

from cases.hardening import checkpoint as hardening_checkpoint
from cases.hardening import faults as hardening_faults
from cases.hardening import fuzz as hardening_fuzz
from cases.hardening import live as hardening_live
from cases.hardening import processors as hardening_processors
from cases.hardening import starts as hardening_starts

CASES = {
    name: case
    for part in (hardening_checkpoint, hardening_faults, hardening_fuzz, hardening_live, hardening_processors, hardening_starts)
    for name, case in part.CASES.items()
}
