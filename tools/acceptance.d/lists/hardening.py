"""Nothing wrong is ever read, nothing hostile gets through."""

import hardening_checkpoint
import hardening_faults
import hardening_fuzz
import hardening_live
import hardening_processors
import hardening_starts

CASES = {
    name: case
    for part in (hardening_checkpoint, hardening_faults, hardening_fuzz, hardening_live, hardening_processors, hardening_starts)
    for name, case in part.CASES.items()
}
