"""Item 7: mesh time per step, in turns with GROMACS' "PME mesh"."""

import statistics

import gromacs
from support import holon_runner as holon

OUTPUT = {"nstenergy": 100, "nstxout_compressed": 0}


def milliseconds(summary):
    return 1000 * summary["timings_s"]["mesh"] / (summary["end_step"] - summary["start_step"])


def versus_gromacs(system, steps=400, rounds=3):
    def run(report):
        folder = holon.SHARED_SYSTEMS / system
        gromacs.run_input(report.work, folder, {**OUTPUT, "nsteps": 4 * steps})
        found = {"gmx_mpi": [], "holon-md": []}
        for turn in range(rounds):
            # As in the .mdp: cutoff and grid not tuned, no ranks for the mesh alone.
            how = ["-ntomp", 1, "-noconfout", "-resethway", "-notunepme", "-npme", 0]
            gromacs.gmx(report.work, "mdrun", "-deffnm", "gmx", *how, program="gmx_mpi", ranks=2)
            found["gmx_mpi"].append(1000 * gromacs.seconds_per_call(report.work / "gmx.log", "PME mesh"))
            run = holon.run(report.work / f"run-{turn}", holon.input_files(folder), 2, nsteps=steps, **OUTPUT)
            found["holon-md"].append(milliseconds(run.summary))
        for program, values in found.items():
            report.note(f"{program}: mesh [ms/step]", statistics.median(values))
            report.note(f"{program}: each round", " ".join(f"{value:.3f}" for value in values))
        ratio = statistics.median(found["holon-md"]) / statistics.median(found["gmx_mpi"])
        report.at_most("mesh time, holon-md / gmx_mpi", ratio, 0.6)
        report.note("goal of 0.4 reached", "yes" if ratio <= 0.4 else "no")

    run.__doc__ = f"mesh time: {system} on 2 ranks, in turns with gmx_mpi"
    return run


CASES = {f"7.{system}": versus_gromacs(system) for system in ("dhfr", "spce-23262")}
