"""Random combinations of settings: the same bits on any ranks, grid, skin and through restarts, and energies that are
conserved to second order. Shared by combinations_test.py and tools/combinations."""

import collections
import csv
import random
import shutil
import time

import numpy
from support import holon_runner as holon
from support import systems

STEPS = 17
PICOSECONDS, SETTLED = 0.12, 0.02  # of the runs whose energies are looked at, and how much of them is left out
ACTIONS = (1, 2, 3, 5, 10)


class Violation(Exception):
    """A promise that was broken."""


def groups_of(files, folder):
    """Writes an index file and returns its option and the names of its groups: the molecules of the last residue's name,
    and all others, if there are any."""
    labels = systems.read_gro(files[files.index("-c") + 1])[1]
    last = labels[-1][5:10]
    groups = {"Rest": [], "Last": []}
    for number, label in enumerate(labels, 1):
        groups["Last" if label[5:10] == last else "Rest"].append(str(number))
    groups = {name: atoms for name, atoms in groups.items() if atoms}
    path = folder / "groups.ndx"
    path.write_text("".join(f"[ {name} ]\n" + "\n".join(atoms) + "\n" for name, atoms in groups.items()))
    return ["-n", path], list(groups)


def random_settings(rng, groups):
    """Settings as options of holon-md; some of them can not go together, which the program has to say."""
    one_in = lambda n: rng.random() * n < 1.0  # noqa: E731
    pick = rng.choice
    scheme = rng.choices(["md", "md-vv", "sd", "baoab", "bd", "steep", "cg"], [8, 8, 4, 3, 1, 0.5, 0.5])[0]
    keys = {"integrator": scheme, "dt": pick([0.0005, 0.001, 0.002]), "ld-seed": rng.randrange(1000)}
    keys["constraints"] = rng.choices(["none", "h-bonds", "all-bonds", "h-angles"], [1, 3, 3, 0.5])[0]
    if one_in(2):
        keys["constraint-algorithm"] = pick(holon.constraint_algorithms())
    if one_in(3):
        keys["gen-vel"], keys["gen-temp"], keys["gen-seed"] = "yes", 300, rng.randrange(1000)
    keys["tc-grps"] = pick(["System", " ".join(groups)])
    n = len(keys["tc-grps"].split())
    keys["ref-t"] = " ".join(pick(["290", "310"]) for _ in range(n))
    keys["tau-t"] = " ".join(pick(["0.1", "0.5", "1"]) for _ in range(n))
    keys["comm-mode"], keys["nstcomm"] = pick(["linear", "linear", "none", "angular"]), pick(ACTIONS)
    if scheme in ("md", "md-vv"):
        keys["tcoupl"] = pick(["no", "v-rescale", "nose-hoover", "berendsen"] + ["andersen"] * (scheme == "md-vv"))
        keys["nsttcouple"] = pick(ACTIONS)
        if keys["tcoupl"] == "andersen":
            keys |= {"tau-t": " ".join(["0.05"] * n), "nstcomm": 1}
        if one_in(6):
            keys |= {"mts": "yes", "mts-level2-factor": 2, "mts-level2-forces": "longrange-nonbonded"}
    if scheme in ("md", "md-vv", "sd") and not one_in(2):
        keys |= random_pressure(rng)
    elif scheme in ("md", "md-vv") and one_in(8):
        keys["deform"] = pick(["0 0 0 0.02 0 0", "0.01 0 -0.01 0 0.05 0"])
    smooth = {"vdw-modifier": "force-switch", "rvdw-switch": 0.6}
    keys |= {"rcoulomb": 0.8, "rvdw": 0.8} | pick([smooth, smooth, {"vdw-modifier": "potential-switch", "rvdw-switch": 0.5}, {}])
    keys["coulombtype"] = pick(["PME", "PME", "reaction-field", "cut-off"])
    if keys["coulombtype"] == "PME":
        keys["mesh-accuracy"] = pick([1e-3, 1e-4])
        if one_in(4):
            keys["mesh"] = "spme"
    if one_in(4):
        keys["DispCorr"] = pick(["Ener", "EnerPres", "AllEnerPres"])
    if one_in(5):
        keys |= {"freezegrps": pick(groups), "freezedim": pick(["Y Y Y", "Y Y Y", "N N Y"])}
    if one_in(8):
        keys |= {"acc-grps": pick(groups), "accelerate": "0.1 0 -0.2"}
    if one_in(8):
        keys["electric-field-x"] = pick(["0.1", "0.5 10 0 0", "0.5 10 1 0.2"])
    if one_in(6):
        keys["mass-repartition-factor"] = 2
    if one_in(6):
        keys["precision"] = "double"
    return keys


def random_pressure(rng):
    """A barostat and what it needs."""
    barostat = rng.choice(["C-rescale", "Parrinello-Rahman", "MTTK", "Berendsen"])
    kinds = {"isotropic": 1} if barostat == "MTTK" else {"isotropic": 1, "semiisotropic": 2, "surface-tension": 2, "anisotropic": 6}
    kind = rng.choice(list(kinds))
    return {
        "pcoupl": barostat,
        "pcoupltype": kind,
        "compressibility": " ".join(["4.5e-5"] + [rng.choice(["4.5e-5", "0"]) for _ in range(kinds[kind] - 1)]),
        "ref-p": " ".join(rng.choice(["1", "100"]) if k < 3 else "0" for k in range(kinds[kind])),
        "tau-p": rng.choice([0.5, 1, 2]),
        "nstpcouple": rng.choice(ACTIONS),
        "ensemble-temperature": 300,
    }


def call(folder, files, keys, ranks, more=()):
    """Exit status and messages of a run, one rank without a launcher."""
    output = [] if "--restart" in files else ["-o", folder]
    words = [*files, *output, *holon.options(keys), *more]
    result = holon.call("holon-md", words, ranks if ranks > 1 else 0, folder=folder)
    return result.status, result.stderr


def check_bits(work, files, keys, rng):
    """What became of it: "same bits", "refused" or "failed", which has to be the same on three ranks."""
    keys = {**keys, "nsteps": STEPS, "nstenergy": rng.choice([1, 3]), "nstlog": 0, "nstxout-compressed": 0}
    status, said = call(work / "one", files, keys, 1)
    others = [("many", rng.choice([2, 3, 4, 5, 8]), ["--skin", rng.choice([0.03, 0.07, 0.2])])]
    if status in (holon.BAD_INPUT, holon.FAILED):
        others = [("many", 3, [])]
    for name, ranks, more in others:
        on_many, said_there = call(work / name, files, keys, ranks, more)
        if on_many != status:
            raise Violation(f"exit status {status} on one rank, {on_many} on {ranks}\n{said}\n{said_there}")
    if status != holon.FINISHED:
        if status not in (holon.BAD_INPUT, holon.FAILED) or "holon-md: " not in said:
            raise Violation(f"exit status {status}\n{said}")
        return "refused" if status == holon.BAD_INPUT else "failed"
    part = rng.randrange(1, STEPS)
    begun, said = call(work / "part", files, {**keys, "nsteps": part}, rng.choice([1, 2, 3]))
    ended, said_there = call(
        work / "part", ["--restart", work / "part" / "checkpoint.h5"], {"nsteps": STEPS}, rng.choice([1, 2, 5])
    )
    if (begun, ended) != (holon.FINISHED, holon.FINISHED):
        raise Violation(f"exit status {begun} to step {part}, then {ended}\n{said}\n{said_there}")
    hashes = {name: holon.summary_of(work / name)["state_hash"] for name in ("one", "many", "part")}
    if len(set(hashes.values())) > 1:
        raise Violation(f"state hashes, part = {part} steps: {hashes}")
    rows = {name: (work / name / "energy.csv").read_text().splitlines() for name in ("one", "many", "part")}
    if rows["one"] != rows["many"] or not set(rows["one"]) <= set(rows["part"]):
        raise Violation(f"energies differ, part = {part} steps")
    return "same bits"


def conserves(keys):
    """Whether these settings have a conserved energy that is smooth, and no thermostat that changes it by chance."""
    return (
        keys["integrator"] in ("md", "md-vv", "sd")
        and keys.get("tcoupl") != "andersen"
        and keys["coulombtype"] == "PME"
        and keys.get("vdw-modifier") == "force-switch"
        and "deform" not in keys
    )


def check_energy(work, files, keys):
    """The conserved energy about its line, and that line, at 1 and 0.5 fs: both fall, or are small. With constraints as
    exact as can be: errors of a tolerance heat the more the shorter the steps are."""
    exact = {"shake-tol": 1e-9, "lincs-order": 8, "lincs-iter": 4, "mesh-accuracy": 1e-4, "checkpoint-interval": 0}
    found = []
    for dt in (0.001, 0.0005):
        more = {"dt": dt, "nsteps": round(PICOSECONDS / dt), "nstenergy": 2, "nstlog": 0, "nstxout-compressed": 0}
        status, said = call(work / str(dt), files, {**keys, **more, **exact}, 1)
        if status != holon.FINISHED:
            return said.strip().splitlines()[-1]
        with open(work / str(dt) / "energy.csv") as file:
            table = numpy.array([[float(row["time_ps"]), float(row["conserved"])] for row in csv.DictReader(file)])
        time_ps, energy = table[table[:, 0] >= SETTLED].T
        line = numpy.polyfit(time_ps, energy, 1)
        found.append((abs(line[0]) * (PICOSECONDS - SETTLED), float((energy - numpy.polyval(line, time_ps)).std())))
    (drift, rms), (drift_there, rms_there) = found
    scale = numpy.sqrt(len(systems.read_gro(files[files.index("-c") + 1])[1]) / 1500)  # as sums over atoms fluctuate
    if (rms_there > 0.55 * rms and rms_there > 0.5 * scale) or (drift_there > 0.5 * drift and drift_there > 1.5 * scale):
        raise Violation(
            f"conserved energy [kJ/mol], at 1 and 0.5 fs: drift {drift:.2f}, {drift_there:.2f}, rms {rms:.2f}, {rms_there:.2f}"
        )
    return "conserved"


def run(work, inputs, seed, count=None, minutes=None, tell=lambda line: None):
    """Tries combinations until `count` or `minutes` are over; returns how often which outcome was seen. Violation, with the
    settings, at the first that breaks a promise; its files stay."""
    tally, began, tried = collections.Counter(), time.monotonic(), 0
    while tried != count and (minutes is None or time.monotonic() - began < 60.0 * minutes):
        rng = random.Random(f"{seed} {tried}")
        folder = work / f"{seed}-{tried}"
        folder.mkdir(parents=True)
        files = holon.input_files(rng.choice(inputs))
        index, groups = groups_of(files, folder)
        keys = random_settings(rng, groups)
        try:
            tally[check_bits(folder, [*files, *index], keys, rng)] += 1
            if conserves(keys):
                tally["conserved" if check_energy(folder, [*files, *index], keys) == "conserved" else "energy not run"] += 1
        except Violation as violation:
            settings = " ".join(f"--{key} '{value}'" for key, value in keys.items())
            raise Violation(f"{violation}\nseed {seed}, number {tried}: {' '.join(map(str, files))} {settings}") from None
        shutil.rmtree(folder)
        tried += 1
        if tried % 10 == 0:
            tell(f"{tried}: {dict(tally)}")
    return tally
