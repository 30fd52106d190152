"""The family of constraint methods: multipliers, rigid bodies, torsions, springs and the Fixman potential."""

from cases.family import fixman
from cases.family import multipliers
from cases.family import rigid
from cases.family import torsions

CASES = dict(sorted((fixman.CASES | multipliers.CASES | rigid.CASES | torsions.CASES).items()))
