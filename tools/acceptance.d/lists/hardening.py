"""Nothing wrong is ever read, nothing hostile gets through."""

CASES = {}
