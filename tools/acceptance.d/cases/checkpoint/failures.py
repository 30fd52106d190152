"""Items 4 to 6: disks that are full, folders that are gone, Slurm, 31 ranks."""

import os
import pathlib
import subprocess
import sys

from support import holon_runner as holon
from support import same_bits
from support import trajectories
from cases.checkpoint.cost import steps_of

sys.path.append(str(pathlib.Path(__file__).resolve().parents[4] / "tests" / "slurm"))
import local_slurm  # noqa: E402
import slurm_jobs  # noqa: E402

OUTPUT = {"nstxout_compressed": 5, "nstenergy": 5}


def write_failures(report):
    """failures: full disk, removed folder, withdrawn permissions (tests/hardening/write_failure_test.py)"""
    script = holon.ROOT / "tests" / "hardening" / "write_failure_test.py"
    done = subprocess.run([sys.executable, script, "-v"], capture_output=True, text=True)
    results = [line for line in done.stderr.splitlines() if line.startswith("test_")]
    for line in results:
        name, outcome = line.split(" ")[0], line.rsplit("... ", 1)[-1]
        report.check(name.removeprefix("test_").replace("_", " "), outcome == "ok", outcome, "ok")
    report.check("all of them", done.returncode == 0 and len(results) == 4, f"{len(results)}", "4")


def slurm(report):
    """Slurm: a job that hits its limit three times finishes by requeue with the hash of the uninterrupted run"""
    if not local_slurm.is_possible():
        raise holon.RunError("needs root and Debian's slurmctld, slurmd, slurm-client and munge")
    arguments = holon.input_files(slurm_jobs.ARGON)
    steps = 6 * steps_of(report.work / "trial", arguments, 15)  # jobs last 5 to 35 s
    with local_slurm.LocalSlurm(report.work / "slurm") as cluster:
        job = slurm_jobs.requeued_run(cluster, report.work, steps, 1200)
    report.check("state of the job", job["JobState"] == "COMPLETED", job["JobState"], "COMPLETED")
    report.at_least("times it was queued again", int(job["Restarts"]), 3)
    log = (report.work / "run" / "md.log").read_text()
    report.check("parts in md.log", log.count("Going on from") == int(job["Restarts"]), log.count("Going on from") + 1)
    whole = holon.run(report.work / "whole", arguments, 2, nsteps=steps, timeout=1200)
    found = holon.summary_of(report.work / "run")["state_hash"]
    report.check("state hash", found == whole.state_hash, found, f"= {whole.state_hash[:8]}...")


def many_ranks(kind):
    def run(report):
        arguments = holon.input_files(holon.INPUTS / "lysozyme")
        whole = holon.run(report.work / "whole", arguments, 2, nsteps=40, **OUTPUT)
        os.environ["OMPI_MCA_io"] = kind
        try:
            result = same_bits.split_run(report.work / "run", arguments, 40, first=31, second=31, **OUTPUT)
        finally:
            del os.environ["OMPI_MCA_io"]
        report.check("state hash", result.state_hash == whole.state_hash, result.state_hash, whole.state_hash[:8])
        problem = trajectories.differing_frames(result.folder / "trajectory.h5md", whole.folder / "trajectory.h5md")
        report.check("trajectory", not problem, problem or "same")

    run.__doc__ = f"31 ranks write and restart, MPI-IO {kind}"
    return run


CASES = {
    "4.failures": write_failures,
    "5.slurm": slurm,
    "6.ompio": many_ranks("ompio"),
    "6.romio": many_ranks("romio321"),
}
