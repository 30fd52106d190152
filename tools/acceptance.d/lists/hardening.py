"""Nothing wrong is ever read, nothing hostile gets through."""

import hardening_faults

CASES = {name: case for part in (hardening_faults,) for name, case in part.CASES.items()}
