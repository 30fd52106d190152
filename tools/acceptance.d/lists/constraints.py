"""Holonomic constraints across domain boundaries: exact, the same on any number of ranks, and cheap.

Items 6 (virial) and 7 (ensembles) are in files of their own.
"""

import importlib
import importlib.util

import constraint_accuracy
import constraint_bits
import constraint_cost
import constraint_residuals
import constraint_reversal

PARTS = [constraint_residuals, constraint_bits, constraint_accuracy, constraint_reversal, constraint_cost]
for name in ("constraint_virial", "constraint_ensembles"):
    if importlib.util.find_spec(name):
        PARTS.append(importlib.import_module(name))

CASES = dict(sorted((name, case) for part in PARTS for name, case in part.CASES.items()))
