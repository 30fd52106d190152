"""Item 1: the same bits under any barostat and thermostat, on any ranks and through restarts."""

import itertools

from support import holon_runner as holon
from support import systems

QUIET = {"nstxout-compressed": 0, "nstenergy": 5, "nstlog": 0, "nstcomm": 7, "gen-seed": 7, "ld-seed": 8}
PME = {"coulombtype": "PME", "rcoulomb": 0.9, "rvdw": 0.9}
BATH = {"tc-grps": "System", "tau-t": 0.2, "ref-t": 300, "nsttcouple": 4}
PRESSURE = {"pcoupltype": "isotropic", "tau-p": 0.5, "nstpcouple": 3, "compressibility": 4.5e-5, "ref-p": 1}
PAIR = {"compressibility": "4.5e-5 3e-5", "ref-p": "1 1"}
SIX = {"pcoupltype": "anisotropic", "compressibility": "4.5e-5 4.5e-5 4.5e-5 1e-5 1e-5 1e-5", "ref-p": "1 1 1 0 0 0"}
BAROSTATS = {
    "no": {"pcoupl": "no"},
    "c-rescale": {"pcoupl": "C-rescale"},
    "c-rescale-semi": {"pcoupl": "C-rescale", "pcoupltype": "semiisotropic", **PAIR},
    "c-rescale-tension": {"pcoupl": "C-rescale", "pcoupltype": "surface-tension", **PAIR},
    "c-rescale-aniso": {"pcoupl": "C-rescale", **SIX},
    "pr": {"pcoupl": "Parrinello-Rahman"},
    "pr-semi": {"pcoupl": "Parrinello-Rahman", "pcoupltype": "semiisotropic", **PAIR},
    "pr-aniso": {"pcoupl": "Parrinello-Rahman", **SIX},
    "mttk": {"pcoupl": "MTTK"},
    "berendsen": {"pcoupl": "Berendsen"},
}
REDRAWN = {"comm-mode": "none", "tau-t": 0.05}
SCHEMES = {  # integrator x tcoupl
    "md": {"integrator": "md", "tcoupl": "no", "ensemble-temperature": 300},
    "md v-rescale": {"integrator": "md", "tcoupl": "v-rescale"},
    "md nose-hoover": {"integrator": "md", "tcoupl": "nose-hoover"},
    "md berendsen": {"integrator": "md", "tcoupl": "berendsen"},
    "md-vv": {"integrator": "md-vv", "tcoupl": "no", "ensemble-temperature": 300},
    "md-vv v-rescale": {"integrator": "md-vv", "tcoupl": "v-rescale"},
    "md-vv nose-hoover": {"integrator": "md-vv", "tcoupl": "nose-hoover"},
    "md-vv berendsen": {"integrator": "md-vv", "tcoupl": "berendsen"},
    "md-vv andersen": {"integrator": "md-vv", "tcoupl": "andersen", **REDRAWN},
    "md-vv andersen-massive": {"integrator": "md-vv", "tcoupl": "andersen-massive", **REDRAWN, "tau-t": 0.01},
    "sd": {"integrator": "sd", "tcoupl": "no"},
}
LONG_STEPS = {"mass-repartition-factor": 3, "mts": "yes", "dt": 0.004}
STEPS, PART = 20, 9


def compare(report, label, files, keys, ranks):
    """On one rank, on these, and on three ranks to the middle of an interval and from there on two."""
    work = report.work / label.replace(" ", "-")
    keys = {key.replace("-", "_"): value for key, value in {**QUIET, **keys, "nsteps": STEPS}.items()}
    expected = holon.run(work / "1", files, 1, **keys).state_hash
    hashes = {n: holon.run(work / f"{n}", files, n, **keys).state_hash for n in ranks}
    holon.run(work / "part", files, 3, **{**keys, "nsteps": PART})
    hashes["restart"] = holon.run(work / "rest", ["--restart", work / "part" / "checkpoint.h5"], 2, nsteps=STEPS).state_hash
    report.check(f"{label}: state hashes", set(hashes.values()) == {expected}, str(set(hashes.values()) | {expected})[1:20], "one")


def every(prepare, settings, long_steps=False):
    """Every barostat under every scheme. Each on one of 2, 3, 4 and 8 ranks, in turns."""

    def run(report):
        files = prepare(report.work)
        turns = itertools.cycle([(2,), (3,), (4,), (8,)])
        for (barostat, pressure), (scheme, bath) in itertools.product(BAROSTATS.items(), SCHEMES.items()):
            if long_steps and bath["integrator"] == "sd":
                continue
            if "andersen" in scheme and barostat == "no" and long_steps:
                continue
            more = {**LONG_STEPS, "nstpcouple": 4} if long_steps else {}
            keys = {**settings, **BATH, **PRESSURE, **pressure, **bath, **more}
            compare(report, f"{barostat} {scheme}", files, keys, next(turns))

    return run


def some(prepare, settings):
    """Each barostat under some scheme, each scheme with some barostat."""

    def run(report):
        files = prepare(report.work)
        turns = itertools.cycle([(2, 8), (3, 4), (2, 3), (4, 8)])
        schemes = itertools.cycle(SCHEMES.items())
        for barostat, pressure in [*BAROSTATS.items(), ("c-rescale", BAROSTATS["c-rescale"])]:
            scheme, bath = next(schemes)
            keys = {**PRESSURE, **settings, **BATH, **pressure, **bath}
            compare(report, f"{barostat} {scheme}", files, keys, next(turns))

    return run


def folder(name):
    return lambda work: holon.input_files(holon.INPUTS / name)


def chains(work):
    systems.chains(work)
    return holon.input_files(work)


def light_ends(work):
    systems.chains(work, end_mass=2.0)
    return holon.input_files(work)


def triclinic(work):
    systems.triclinic_water(holon.INPUTS / "spce", work)
    return holon.input_files(work)


CHAINS = {"constraints": "all-bonds", "rcoulomb": 0.9, "rvdw": 0.9}
PROTEIN = {**PME, "constraints": "all-bonds"}


def described(case, text):
    case.__doc__ = text + ", in turns on 2, 3, 4, 8 ranks and through restarts: the hashes of one rank"
    return case


CASES = {
    "1.chains": described(every(chains, CHAINS), "chains of rigid bonds, every barostat x thermostat x integrator"),
    "1.long-steps": described(
        every(light_ends, {**CHAINS, "mts-level2-forces": "angle"}, True), "the same with light ends made heavier, angles by mts"
    ),
    "1.spce": described(some(folder("spce"), PME), "SPC/E with the mesh, each barostat and each scheme"),
    "1.newton": described(
        some(folder("peptide"), {**PROTEIN, "constraint-algorithm": "newton"}), "protein in water, all-bonds, newton"
    ),
    "1.lincs": described(
        some(folder("peptide"), {**PROTEIN, "constraint-algorithm": "lincs"}), "protein in water, all-bonds, lincs"
    ),
    "1.triclinic": described(some(triclinic, PME), "water in a skewed cell"),
}
