"""Item 1: the same bits under any barostat and thermostat, on any ranks and through restarts."""

from support import holon_runner as holon

QUIET = {"nstxout-compressed": 0, "nstenergy": 5, "nstlog": 0, "nstcomm": 7, "gen-seed": 7, "ld-seed": 8}
PME = {"coulombtype": "PME", "rcoulomb": 0.9, "rvdw": 0.9}
BATH = {"tcoupl": "v-rescale", "tc-grps": "System", "tau-t": 0.2, "ref-t": 300}
PRESSURE = {"tau-p": 0.5, "nstpcouple": 3, "compressibility": 4.5e-5, "ref-p": 1}
PAIR = {"compressibility": "4.5e-5 3e-5", "ref-p": "1 1"}
BAROSTATS = {
    "c-rescale": {"pcoupl": "C-rescale"},
    "c-rescale-semi": {"pcoupl": "C-rescale", "pcoupltype": "semiisotropic", **PAIR},
    "c-rescale-tension": {"pcoupl": "C-rescale", "pcoupltype": "surface-tension", **PAIR},
    "pr": {"pcoupl": "Parrinello-Rahman"},
    "pr-aniso": {
        "pcoupl": "Parrinello-Rahman",
        "pcoupltype": "anisotropic",
        "compressibility": "4.5e-5 4.5e-5 4.5e-5 1e-5 1e-5 1e-5",
        "ref-p": "1 1 1 0 0 0",
    },
    "mttk": {"pcoupl": "MTTK"},
    "berendsen": {"pcoupl": "Berendsen"},
}
STEPS = 40


def case(name, folder, systems):
    def run(report):
        for kind, settings in systems.items():
            for barostat, pressure in BAROSTATS.items():
                for scheme in ("md", "md-vv", "sd"):
                    bath = {**BATH, "tcoupl": "no"} if scheme == "sd" else BATH
                    keys = {**QUIET, **settings, **bath, **PRESSURE, **pressure, "integrator": scheme, "nsteps": STEPS}
                    keys = {key.replace("-", "_"): value for key, value in keys.items()}
                    one(report, f"{kind} {barostat} {scheme}", holon.input_files(folder), keys)

    run.__doc__ = f"{name}: every barostat under every scheme on 1, 2, 3, 4, 8 ranks and through restarts"
    return run


def one(report, label, files, keys):
    work = report.work / label.replace(" ", "-")
    expected = holon.run(work / "1", files, 1, **keys).state_hash
    hashes = {ranks: holon.run(work / f"{ranks}", files, ranks, **keys).state_hash for ranks in (2, 3, 4, 8)}
    holon.run(work / "part", files, 3, **{**keys, "nsteps": 17})
    goes_on = ["--restart", work / "part" / "checkpoint.h5"]
    hashes["restart"] = holon.run(work / "rest", goes_on, 2, nsteps=STEPS).state_hash
    report.check(f"{label}: state hashes", set(hashes.values()) == {expected}, len(set(hashes.values())), "1")


LYSOZYME = holon.SHARED_SYSTEMS / "lysozyme"
CASES = {
    "1.spce": case("SPC/E", holon.INPUTS / "spce", {"pme": PME, "double": {**PME, "precision": "double"}}),
    "1.lysozyme": case(
        "lysozyme",
        LYSOZYME if LYSOZYME.exists() else holon.INPUTS / "lysozyme",
        {
            solver: {**PME, "constraints": "all-bonds", "constraint-algorithm": solver}
            for solver in ("newton", "lincs")
        },
    ),
}
