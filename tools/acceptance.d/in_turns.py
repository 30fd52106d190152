"""Speed of an input in turns with gmx_mpi, on as many ranks of one thread each; on a quiet machine."""

import builds
import measure


def in_turns(report, folder, settings, least, rounds, seconds, ranks=2, goal=None, errors=None):
    """Logs medians of the rounds, their ratio, which is to be `least` or more, and where the time goes.

    `seconds`: of each run. With a mesh the errors of the forces count, too.
    """
    if errors is None:
        errors = "reaction" not in settings.get("coulombtype", "PME")
    report.note("processor", measure.processor()["name"])
    runner = measure.Runner(report.work, ranks, rounds, seconds, builds=builds.required(settings))
    found = runner.measure("system", folder, settings, errors=errors)
    for program, key in (("gmx_mpi", "gromacs_ns_per_day"), ("holon-md", "ns_per_day")):
        report.note(f"{program} [ns/day]", found[key])
        report.note(f"{program}, each [ns/day]", " ".join(f"{speed:.4g}" for speed in found[f"{key}_each"]))
    report.at_least("holon-md / gmx_mpi", found["ratio"], least)
    if goal is not None:
        report.note(f"goal of {goal} reached", "yes" if found["ratio"] >= goal else "no")
    if errors:
        report.note("gmx_mpi: relative rms force error", found["gromacs_force_error"])
        report.at_most("relative rms force error", found["force_error"], found["gromacs_force_error"])
    for stage, share in found["stages"].items():
        report.note(f"{stage} [% of wall time]", 100 * share)
    report.note("waiting and all else [% of wall time]", 100 * (1 - sum(found["stages"].values())))
    report.note("checkpoint, waiting and packing [% of wall time]", 100 * found["checkpoint_share"])
    report.note("CPU time [us per atom and step]", found["cpu_us_per_atom_step"])
    report.note("cycles per pair", found["cycles_per_pair"])
    report.note("imbalance", found["load_balance"]["imbalance_mean"] if found["load_balance"] else 0.0)
