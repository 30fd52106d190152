"""The family of constraint methods: multipliers, rigid bodies and what links them, torsions, springs and the Fixman potential."""

from cases.family import fixman
from cases.family import linked_units
from cases.family import multipliers
from cases.family import rigid
from cases.family import torsions

CASES = dict(sorted((fixman.CASES | linked_units.CASES | multipliers.CASES | rigid.CASES | torsions.CASES).items()))
