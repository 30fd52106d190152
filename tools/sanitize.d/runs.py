#!/usr/bin/env python3
"""Short runs of programs built with sanitizers: what a sanitizer says on stderr, and a wrong exit status, is a failure.

    HOLON_BIN=build-sanitize/bin tools/sanitize.d/runs.py address|threads
"""

import itertools
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "program"))
from support import holon_runner as holon  # noqa: E402

COMPLAINT = re.compile(r"Sanitizer|runtime error:")
INTEGRATORS = ("md", "md-vv", "sd", "steep")
OTHER_INTEGRATORS = ("baoab", "bd", "cg", "l-bfgs")
BATH = {"tc-grps": "System", "tau-t": 0.1, "ref-t": 90}  # argon names none
WATER_BATH = {"nstcomm": 1, "tc-grps": "System", "tau-t": 0.5, "ref-t": 300}
PRESSURE = {"ref-p": 1, "compressibility": 4.5e-5, "tau-p": 2, "nstpcouple": 2}
THERMOSTATS = ("v-rescale", "nose-hoover", "berendsen", "andersen", "andersen-massive")
BAROSTATS = ("C-rescale", "Parrinello-Rahman", "MTTK", "Berendsen")
MORE_WATER = (
    {"deform": "0.1 0 0 0 0.5 0"},
    {"mts": "yes", "mts-level2-factor": 2},
    {"mass-repartition-factor": 3},
    {"annealing": "single", "annealing-npoints": 2, "annealing-time": "0 1", "annealing-temp": "300 310"},
)
# What some algorithms ask of a run.
NEEDS = {"springs": {"integrator": "md", "dt": 0.0001}}
NEEDS |= {name: {"integrator": "md-vv"} for name in ("edberg-evans-morriss", "dlm", "no-squish")}


def algorithms():
    """All that the program has; of a guess in front of another solver one is enough."""
    names = holon.constraint_algorithms()
    return [name for name in names if not name.startswith("wiggle+") or name == "wiggle+newton"]


def inputs(name):
    return holon.input_files(holon.INPUTS / name)


def address_runs():
    """Small systems with everything, the large one with each integrator and each algorithm once."""
    for integrator in INTEGRATORS:
        yield "argon", 2, {"integrator": integrator, "nsteps": 4} | (BATH if integrator == "sd" else {})
        yield "spce", 2, {"integrator": integrator, "nsteps": 4, "coulombtype": "PME"}
    for integrator in OTHER_INTEGRATORS:
        yield "argon", 2, {"integrator": integrator, "nsteps": 4} | BATH
    for thermostat, barostat in itertools.zip_longest(THERMOSTATS, BAROSTATS, fillvalue="no"):
        baths = {"tcoupl": thermostat, "pcoupl": barostat, **WATER_BATH, **PRESSURE}
        yield "spce", 2, {"integrator": "md-vv", "nsteps": 4, "coulombtype": "PME"} | baths
    for more in MORE_WATER:
        yield "spce", 2, {"nsteps": 4, "coulombtype": "PME"} | more
    yield "peptide", 2, {"nsteps": 4, "constraints": "torsion-only"}
    yield "spce", 1, {"nsteps": 4, "coulombtype": "PME", "mesh": "spme", "precision": "double"}
    yield "spce", 3, {"nsteps": 4, "tcoupl": "v-rescale", "tc-grps": "System", "tau-t": 0.1, "ref-t": 300}
    for algorithm, integrator in zip(algorithms(), itertools.cycle(INTEGRATORS)):
        constraints = "h-bonds" if algorithm == "lincs" else "all-bonds"
        settings = {"nsteps": 2, "integrator": integrator, "constraints": constraints, "constraint-algorithm": algorithm}
        yield "lysozyme", 2, settings | NEEDS.get(algorithm, {})


def thread_runs():
    yield "argon", 1, {"nsteps": 10}
    yield "spce", 1, {"nsteps": 10, "coulombtype": "PME"}
    yield "spce", 2, {"nsteps": 5, "checkpoint-mapping": "no"}
    yield "lysozyme", 1, {"nsteps": 2, "constraints": "all-bonds", "constraint-algorithm": "newton"}


def main():
    failed = 0
    runs = {"address": address_runs, "threads": thread_runs}[sys.argv[1]]
    for name, ranks, settings in runs():
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder) / "run"
            words = [*inputs(name), "-o", run, "--nstxout", 1, *holon.options(settings)]
            results = [holon.call("holon-md", words, ranks, timeout=3000)]
            if settings.get("integrator") not in ("steep", "cg", "l-bfgs"):
                restart = ["--restart", run / "checkpoint.h5", "--nsteps", settings["nsteps"] + 1]
                results.append(holon.call("holon-md", restart, ranks, timeout=3000))
            results.append(holon.call("holon-inspect", [run / "checkpoint.h5"]))
        bad = [r for r in results if r.status != holon.FINISHED or COMPLAINT.search(r.stderr)]
        print("FAIL" if bad else "clean", name, ranks, settings, flush=True)
        for result in bad:
            print(result.stderr[-5000:], flush=True)
        failed += bool(bad)
    return 1 if failed else 0


sys.exit(main())
