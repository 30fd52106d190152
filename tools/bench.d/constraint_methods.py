"""Constraint methods on the molecules of the literature: cost, errors, drift of the energy, largest step."""

import csv

import numpy
from support import bad_input
from support import constrained_molecules
from support import holon_runner as holon
from support import linked_molecules
from support import trajectories

MOLECULES = ("water", "chloroform", "butane", "octane", "octane of units")
TOLERANCES = ("1e-04", "1e-08")
LINCS = ("4/1", "8/4")
PICOSECONDS = 1.0
STEPS_FS = (2, 4, 6, 8, 12, 16, 24)
# Change of the conserved energy over the kinetic energy, beyond which a step is called unstable.
UNSTABLE = 0.05
BOLTZMANN = 0.00831446261815324  # [kJ/mol/K]
QUIET = {"nstxout_compressed": 0, "nstlog": 0, "checkpoint_interval": 0}
OF_RUNS_ONLY = [("edberg-evans-morriss", "feedback 10")]
LINKS = [("qshake", tolerance) for tolerance in TOLERANCES] + [("unit-newton", "exact")]


def bench(arguments, work, repeats):
    """{kind of clusters: {(method, setting): row}} of the position stage."""
    table = work / "bench.csv"
    axes = ["--tolerances", ",".join(TOLERANCES), "--lincs", ",".join(LINCS), "--repeats", repeats, "--csv", table]
    result = holon.call("holon-bench-constraints", [*arguments, "--shake-sor", "no", *axes], 1, timeout=3600)
    if result.status:
        raise holon.RunError(result.stderr)
    with open(table) as text:
        rows = [row for row in csv.DictReader(text) if row["stage"] == "positions" and row["failed"] == "0"]
    found = {}
    for row in rows:
        method = {"wiggle+shake": "wiggle"}.get(row["solver"], row["solver"]).replace("_", "-")
        found.setdefault(row["clusters"], {})[method, row["setting"]] = {
            "iterations": int(row["iterations"]),
            "residual": float(row["residual"]),
            "us": float(row["us_per_constraint_mean"]),
        }
    return found


def keys_of(method, setting):
    """The .mdp keys of a method with a setting of the table."""
    keys = {"constraint_algorithm": method, "shake_sor": "no"}
    if "/" in setting:
        keys["lincs_order"], keys["lincs_iter"] = setting.split("/")
    elif setting in TOLERANCES:
        keys["shake_tol"] = setting
    return keys


def trajectory(arguments, folder, dt, picoseconds, keys):
    """Time [ps] and conserved energy [kJ/mol] of a run at constant energy, and its summary; None if it failed."""
    steps = max(200, round(picoseconds / dt))
    words = [*arguments, "-o", folder, "--overwrite"]
    settings = {"dt": dt, "nsteps": steps, "nstenergy": 10, **QUIET, **keys}
    result = holon.call("holon-md", [*words, *holon.options(settings)], 1, timeout=1800)
    if result.status != holon.FINISHED:
        return None
    energies = trajectories.energies(folder / "energy.csv")
    return energies["time_ps"], energies["conserved"], holon.summary_of(folder)


def drift(arguments, folder, keys):
    """Slope of the conserved energy [kT/ns per degree of freedom] and CPU time of the constraints [us per constraint
    and step] in a run of 2 fs steps; None if it failed."""
    found = trajectory(arguments, folder, 0.002, PICOSECONDS, keys)
    if found is None:
        return None
    time, energy, summary = found
    slope = float(numpy.polyfit(time, energy, 1)[0]) / holon.ndof(summary) / (BOLTZMANN * 300.0) * 1000
    cpu = summary["cpu_timings_s"]["constraints"] / summary["end_step"] / summary["constraints"]
    return {"drift": slope, "us_in_run": 1e6 * cpu, "length": summary["constraint_error"]["length_max_relative"]}


def is_stable(arguments, folder, femtoseconds, keys):
    found = trajectory(arguments, folder, femtoseconds / 1000, 1.0, keys)
    if found is None:
        return False
    _, energy, summary = found
    kinetic = summary["initial"]["energies_kJ_per_mol"]["kinetic"]
    return bool(numpy.all(abs(energy - energy[0]) < UNSTABLE * kinetic))


def largest_step(arguments, folder, keys):
    """The largest of STEPS_FS that is stable [fs], by bisection; 0: none."""
    low, high = -1, len(STEPS_FS)
    while high - low > 1:
        middle = (low + high) // 2
        if is_stable(arguments, folder, STEPS_FS[middle], keys):
            low = middle
        else:
            high = middle
    return STEPS_FS[low] if low >= 0 else 0


def compare(name, work, log):
    """All rows of a molecule."""
    units = name == "octane of units"  # with hydrogens, which are rigid groups with their carbons
    if units:
        files = linked_molecules.LIQUIDS["octane"]()
    else:
        files = constrained_molecules.files(constrained_molecules.MOLECULES[name])
    arguments = bad_input.write_input(work, files)
    kinds = bench(arguments, work, 20)
    found = kinds.get("larger clusters") or kinds["groups of hydrogens"]
    cases = [case for case in found if not case[0].startswith("wiggle+")]
    cases += LINKS if units else OF_RUNS_ONLY
    rows = []
    for method, setting in cases:
        keys = keys_of(method, setting)
        row = {"molecule": name, "method": method, "setting": setting, **found.get((method, setting), {})}
        row.update(drift(arguments, work / "run", keys) or {})
        if setting != TOLERANCES[0]:  # a loose tolerance is seen in the drift
            row["largest_step_fs"] = largest_step(arguments, work / "run", keys)
        rows.append(row)
        log(row)
    return rows


def protein(work):
    """Costs on lysozyme in water with rigid bonds: of its one cluster of 1,984 constraints, and of the rigid water."""
    arguments = [*holon.input_files(holon.INPUTS / "lysozyme"), "--constraints", "all-bonds"]
    kinds = bench(arguments, work, 10)
    return [
        {"molecule": name, "method": method, "setting": setting, **cost}
        for name, kind in (("lysozyme", "larger clusters"), ("its water", "rigid water"))
        for (method, setting), cost in kinds[kind].items()
        if not method.startswith("wiggle+")
    ]


def claims(rows):
    """Claim, source and what the rows have: (method, claim, source, measured)."""
    table = {(row["molecule"], row["method"], row["setting"]): row for row in rows}

    def ratio(quantity, molecule, one, other):
        here, there = (table.get((molecule, *case), {}).get(quantity) for case in (one, other))
        return f"{molecule}: {here / there:.2g}" if here and there else f"{molecule}: -"

    def ratios(quantity, molecules, one, other):
        return "; ".join(ratio(quantity, molecule, one, other) for molecule in molecules)

    loose, tight = (("shake", tolerance) for tolerance in TOLERANCES)
    return [
        (
            "settle",
            "3 to 9 times faster than RATTLE",
            "Miyamoto, Kollman 1992",
            ratios("us", ["its water"], loose, ("settle", "exact")),
        ),
        (
            "lincs",
            "3 to 4 times faster than SHAKE",
            "Hess et al. 1997",
            ratios("us", ["lysozyme", "octane"], loose, ("lincs", "4/1")),
        ),
        (
            "m-shake",
            "faster than SHAKE for few constraints and high accuracy",
            "Kraeutler et al. 2001",
            ratios("us", ["its water"], tight, ("m-shake", "exact")),
        ),
        (
            "p-shake",
            "up to 3 times faster than M-SHAKE at small tolerances",
            "Gonnet 2007",
            "; ".join(ratio("us", "its water", ("m-shake", "exact"), ("p-shake", tolerance)) for tolerance in TOLERANCES),
        ),
        (
            "lambrakos",
            "always converges more rapidly than SHAKE (iterations of SHAKE over its own)",
            "Lambrakos et al. 1989",
            ratios("iterations", ["water", "octane", "lysozyme"], tight, ("lambrakos", TOLERANCES[1])),
        ),
        (
            "ccma",
            "less than a sixth of SHAKE's iterations on a protein",
            "Eastman, Pande 2010",
            ratios("iterations", ["lysozyme"], loose, ("ccma", TOLERANCES[0])) + " fewer",
        ),
        (
            "wiggle",
            "begins almost an order of magnitude closer (iterations of SHAKE over its own)",
            "Lee, Palmo, Krimm 2005",
            ratios("iterations", ["water", "octane", "lysozyme"], loose, ("wiggle", TOLERANCES[0])),
        ),
    ]
