"""Holonomic constraints across domain boundaries: exact, the same on any number of ranks, and cheap.

Items 6 (virial) and 7 (ensembles) are in files of their own.
"""

from cases.constraints import accuracy, bits, cost, ensembles, residuals, reversal, virial

PARTS = [residuals, bits, accuracy, reversal, cost, virial, ensembles]

CASES = dict(sorted((name, case) for part in PARTS for name, case in part.CASES.items()))
