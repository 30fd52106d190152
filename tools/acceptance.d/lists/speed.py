"""Speed on any number of ranks."""

import balance

CASES = {name: case for part in (balance,) for name, case in part.CASES.items()}
