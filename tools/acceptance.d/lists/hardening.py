"""Nothing wrong is ever read, nothing hostile gets through."""

import hardening_fuzz

CASES = {**hardening_fuzz.CASES}
