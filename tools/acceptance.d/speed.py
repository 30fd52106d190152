"""Item 8: speed, memory and start."""

import statistics
import sys
import time

import gromacs
import holon_runner as holon
import references
import systems

MEMORY = """\
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open(sys.argv[1] + "." + os.environ["OMPI_COMM_WORLD_RANK"], "w").write(str(peak))
sys.exit(status)
"""


def versus_gromacs(report, steps=400, rounds=3):
    """speed: dhfr with reaction field on 2 ranks, in turns with gmx_mpi"""
    folder = holon.SHARED_SYSTEMS / "dhfr"
    settings = {"nsteps": steps, "nstenergy": 100, "nstxout_compressed": 0, **references.REACTION_FIELD}
    gromacs.run_input(report.work, folder, {**settings, "nsteps": 4 * steps})
    speeds = {"gmx_mpi": [], "holon-md": []}
    for turn in range(rounds):
        gromacs.gmx(
            report.work, "mdrun", "-deffnm", "gmx", "-ntomp", 1, "-noconfout", "-resethway", program="gmx_mpi", ranks=2
        )
        speeds["gmx_mpi"].append(gromacs.ns_per_day(report.work / "gmx.log"))
        run = holon.run(report.work / f"run-{turn}", holon.input_files(folder), 2, **settings)
        speeds["holon-md"].append(run.summary["ns_per_day"])
    for program, values in speeds.items():
        report.note(f"{program} [ns/day]", statistics.median(values))
    report.at_least(
        "holon-md / gmx_mpi", statistics.median(speeds["holon-md"]) / statistics.median(speeds["gmx_mpi"]), 0.2
    )


def peak_memory(folder, arguments, ranks, **settings):
    """Peak resident memory of each rank [MB]."""
    folder.mkdir(parents=True)
    wrapper = folder / "memory.py"
    wrapper.write_text(MEMORY)
    words = [
        wrapper,
        folder / "peak",
        holon.BIN / "holon-md",
        *arguments,
        "-o",
        folder / "run",
        *holon.options(settings),
    ]
    done = holon.call(sys.executable, words, ranks, timeout=900)
    if done.status:
        raise holon.RunError(done.stderr)
    return [int((folder / f"peak.{rank}").read_text()) / 1024 for rank in range(ranks)]


def memory(report):
    """memory per rank falls as ranks are added: 104,004 atoms of water"""
    systems.replicate(holon.INPUTS / "spce", report.work, (3, 3, 3))
    worst = {}
    for ranks in (1, 2, 4, 8):
        worst[ranks] = max(peak_memory(report.work / f"np{ranks}", holon.input_files(report.work), ranks, nsteps=10))
        report.note(f"largest rank of {ranks} [MB]", worst[ranks])
    for few, many in ((1, 2), (2, 4), (4, 8)):
        report.check(f"falls from {few} to {many} ranks", worst[many] < worst[few], worst[many] / worst[few], "< 1")


def million(report):
    """start: more than a million atoms of water on 2 ranks, first step within a minute"""
    systems.replicate(holon.INPUTS / "spce", report.work, (6, 6, 8))
    arguments = holon.input_files(report.work)
    began = time.monotonic()
    result = holon.run(report.work / "run", arguments, 2, nsteps=0, nstxout_compressed=0)
    report.note("atoms", result.summary["atoms"])
    report.at_most("from the command to the end of step 0 [s]", time.monotonic() - began, 60)


CASES = {"8.speed": versus_gromacs, "8.memory": memory, "8.million": million}
