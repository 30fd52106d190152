"""The family of constraint methods: multipliers, rigid bodies, torsions."""

from cases.family import multipliers
from cases.family import rigid
from cases.family import torsions

CASES = dict(sorted((multipliers.CASES | rigid.CASES | torsions.CASES).items()))
