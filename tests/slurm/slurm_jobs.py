"""Runs the Slurm jobscripts in a local Slurm. Shared by slurm_test.py and tools/acceptance."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "program"))
from support import holon_runner as holon  # noqa: E402

SCRIPTS = ROOT / "jobscripts"
ARGON = holon.INPUTS / "argon"
PATH = f"{holon.BIN}:{os.environ['PATH']}"

# On one node as users do it. Two made-up nodes on one machine: Slurm's PMIx plugin uses one folder for both, and Open
# MPI's shared memory takes ranks of the other node for its own; so mpirun, and TCP.
ON_ONE_NODE = {"PATH": PATH, "HOLON_LAUNCH": "srun --mpi=pmix"}
ON_TWO_NODES = {
    "PATH": PATH,
    "HOLON_LAUNCH": "mpirun --oversubscribe",
    "OMPI_MCA_btl": "self,tcp",
    "OMPI_MCA_btl_tcp_if_include": "lo",
}


def submit(slurm, work, script, *arguments, nodes=1, tasks=2, options=(), **environment):
    """Submits a jobscript; its output goes to work/job.out."""
    settings = {**(ON_ONE_NODE if nodes == 1 else ON_TWO_NODES), **environment}
    layout = ["--nodes", nodes, "--ntasks-per-node", tasks, "-o", work / "job.out"]
    return slurm.submit(*layout, *options, SCRIPTS / script, *arguments, **settings)


def requeued_run(slurm, work, steps, timeout):
    """A run whose job may last a minute and is asked to stop when it has lasted about half of that, until it is done.
    Returns what Slurm says of the job at last."""
    limit = ["--time=1", "--signal=B:USR1@25"]
    job = submit(slurm, work, "holon.slurm", ARGON, work / "run", "--nsteps", steps, options=limit)
    return slurm.wait_for(job, timeout)
