"""Item 1: the trajectories of another build, to the last bit. HOLON_REFERENCE_BIN is the folder of its programs.

`1.*` is what every build since c712307 has in common. What has been changed on purpose since then is in `later.*`, for
builds of today: mesh and range of the Coulomb pairs, random numbers and baths by our own exp, log and cos, the step
length of steep in the hash.
"""

import os
import pathlib

from support import holon_runner as holon

ARGON = {
    "md": {"integrator": "md"},
    "md-vv": {"integrator": "md-vv"},
    "double": {"integrator": "md-vv", "precision": "double"},
}
WATER = {"md": {}, "md-vv": {"integrator": "md-vv"}, "double": {"precision": "double"}}
REACTION_FIELD = {"coulombtype": "reaction-field", "epsilon-rf": 78, "rcoulomb": 0.9, "rvdw": 0.9, "tcoupl": "no"}
PROTEIN = {
    f"{bonds}-{solver}-{scheme}": {
        **REACTION_FIELD,
        "constraints": bonds,
        "constraint-algorithm": solver,
        "integrator": scheme,
        **({"shake-tol": 1e-8, "shake-warm-start": "yes"} if solver == "shake" else {}),
    }
    for bonds in ("h-bonds", "all-bonds")
    for solver in ("lincs", "shake", "newton")
    for scheme in ("md", "md-vv")
}
PME = {"coulombtype": "PME", "rcoulomb": 0.9, "rvdw": 0.9}
SD = {"integrator": "sd", "tcoupl": "no", "tau-t": 1, "ref-t": 300, "tc-grps": "System"}
LATER = {
    "sd": SD,
    "esp": PME,
    "spme": {**PME, "mesh": "spme"},
    "double": {**PME, "precision": "double"},
    "v-rescale": {"tcoupl": "v-rescale", "tc-grps": "System", "tau-t": 0.1, "ref-t": 300},
    "steep": {"integrator": "steep", "tcoupl": "no", "nsteps": 10, "constraints": "none"},
}
QUIET = {"nstxout-compressed": 0, "nstenergy": 5, "nstlog": 0, "nstcomm": 4, "gen-seed": 7, "ld-seed": 8}


def with_programs(programs, function, *arguments, **settings):
    """What the function returns where `programs` is the folder of the programs."""
    ours, holon.BIN = holon.BIN, pathlib.Path(programs)
    try:
        return function(*arguments, **settings)
    finally:
        holon.BIN = ours


def case(name, folder, settings, ranks):
    def run(report):
        reference_bin = os.environ.get("HOLON_REFERENCE_BIN")
        if not reference_bin:
            raise holon.RunError("HOLON_REFERENCE_BIN must name the folder of the other build's programs")
        for kind, changes in settings.items():
            keys = {**QUIET, "nsteps": 20, **changes}
            keys = {key.replace("-", "_"): value for key, value in keys.items()}
            arguments = holon.input_files(folder)
            reference = with_programs(reference_bin, holon.run, report.work / f"{kind}-reference", arguments, 2, **keys)
            result = holon.run(report.work / kind, arguments, ranks, **keys)
            report.check(
                f"{kind}: state hash", result.state_hash == reference.state_hash, result.state_hash, reference.state_hash
            )
            for state in ("initial", "final"):
                ours, theirs = (dict(run.summary[state]["energies_kJ_per_mol"]) for run in (result, reference))
                for energies in (ours, theirs):
                    del energies["conserved"]  # has since then what the removal of the centre's motion takes
                report.check(f"{kind}: {state} energies", ours == theirs, "equal" if ours == theirs else ours, "equal")

    run.__doc__ = f"bits: {name}, {len(settings)} settings, {ranks} ranks against 2 of the other build"
    return run


CASES = {
    "1.argon": case("argon", holon.INPUTS / "argon", ARGON, 3),
    "1.spce": case("SPC/E", holon.INPUTS / "spce", WATER, 3),
    "1.lysozyme": case("lysozyme", holon.INPUTS / "lysozyme", PROTEIN, 3),
    "1.dhfr": case("dhfr", holon.SHARED_SYSTEMS / "dhfr", PROTEIN, 2),
    "later.spce": case("SPC/E", holon.INPUTS / "spce", LATER, 3),
    "later.lysozyme": case("lysozyme", holon.INPUTS / "lysozyme", LATER, 3),
}
