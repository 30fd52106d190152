"""Nothing wrong is ever read, nothing hostile gets through."""

import hardening_processors

CASES = {name: case for part in (hardening_processors,) for name, case in part.CASES.items()}
