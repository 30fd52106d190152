"""The family of constraint methods: multipliers, rigid bodies and what links them, torsions, springs and the Fixman potential."""

from cases.family import accelerations
from cases.family import comparison
from cases.family import fixman
from cases.family import linked_units
from cases.family import molecules
from cases.family import multipliers
from cases.family import rigid
from cases.family import rotors
from cases.family import torsions

PARTS = (accelerations, comparison, fixman, linked_units, molecules, multipliers, rigid, rotors, torsions)
CASES = dict(sorted((name, case) for part in PARTS for name, case in part.CASES.items()))
