"""Runs of Holon in Python.

    run = holon.Run("run")            # a folder that holon-md has written, also while it goes on
    run.energies                      # a table, a column for each energy
    run.parameters["tau-t"]           # what was in force
    run.states()[-1].positions()      # of checkpoint.h5
    run.universe()                    # MDAnalysis, with names, masses, charges and bonds
    holon.run("md.mdp", "conf.gro", "topol.top", ranks=4, nsteps=5000)

Units: nm, ps, kJ/mol, u, e, K and bar; Universes have those of MDAnalysis.
"""

from .checkpoint import State
from .errors import HolonError, RunFailed
from .folder import Run
from .log import Job, Parameters
from .programs import Progress, Running, restart, run, start
from .statistics import Statistics, series_statistics
from .table import Table
from .version import VERSION as __version__

__all__ = [
    "HolonError",
    "Job",
    "Parameters",
    "Progress",
    "Run",
    "RunFailed",
    "Running",
    "State",
    "Statistics",
    "Table",
    "__version__",
    "restart",
    "run",
    "series_statistics",
    "start",
]
