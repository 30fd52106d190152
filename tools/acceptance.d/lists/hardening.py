"""Nothing wrong is ever read, nothing hostile gets through."""

import hardening_fuzz
import hardening_live

CASES = {name: case for part in (hardening_live, hardening_fuzz) for name, case in part.CASES.items()}
