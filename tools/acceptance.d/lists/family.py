"""The family of constraint methods: multipliers, rigid bodies."""

from cases.family import multipliers
from cases.family import rigid

CASES = dict(sorted((multipliers.CASES | rigid.CASES).items()))
