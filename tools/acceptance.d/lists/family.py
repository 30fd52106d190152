"""The family of constraint methods: rigid bodies."""

from cases.family import rigid

CASES = dict(sorted(rigid.CASES.items()))
