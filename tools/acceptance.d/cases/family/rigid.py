"""Item 2: rigid bodies: the same as all distances, free rotation, water by three solvers, liquids of lines and planes."""

import csv
import re

import canonical
import numpy
from cases.constraints import bits as constraint_bits
from cases.ensembles import densities
from support import bad_input
from support import holon_runner as holon
from support import rigid_molecules
from support import trajectories

ROTOR_STEPS = 1_000_000
SPCE = holon.INPUTS / "spce"
PICOSECONDS = 400.0
QUIET = {"nstxout_compressed": 0, "checkpoint_interval": 1000, "nstlog": 0}
# Forces that are cut off let the energy walk, by more than constraints do.
SMOOTH = {"coulombtype": "PME", "vdw_modifier": "force-switch", "rvdw_switch": 0.7}


def drift(energies, freedoms, temperature):
    """Slope of the conserved energy [kT/ns per degree of freedom]."""
    slope = float(numpy.polyfit(energies["time_ps"], energies["conserved"], 1)[0])
    return slope / (freedoms * canonical.BOLTZMANN * temperature) * 1000


def equality(report):
    """rigid bodies against Newton's method with all distances, and their shapes"""
    passed, failed, _ = constraint_bits.run_tests("rigid_test", 0, "Rigid*")
    report.check("positions within one unit of the lattice, 4e-15 nm", not failed, f"{len(passed)} tests")
    for ranks in (1, 2, 3, 8):
        passed, failed, _ = constraint_bits.run_tests("constraint_solvers_test", ranks, "*/rigid_*")
        report.check(f"{ranks} ranks: bits as on one", passed and not failed, f"{len(passed)} tests")


def rotor(report):
    """free tops, planes and lines, a million steps of 2 and 4 fs: energy and angular momentum to 1e-9"""
    steps = {"HOLON_ROTOR_STEPS": str(ROTOR_STEPS)}
    result = holon.call("rigid_test", ["--gtest_filter=Rigid.FreeBodies*"], 0, timeout=7200, environment=steps)
    rows = re.findall(r"^(\w+), (\S+) ps: energy (\S+), angular momentum (\S+), lengths (\S+)$", result.stdout, re.M)
    report.check("rows", len(rows) == 6, len(rows))
    for name, dt, energy, momentum, lengths in rows:
        report.at_most(f"{name}, {dt} ps: energy", abs(float(energy)), 1e-9)
        report.at_most(f"{name}, {dt} ps: angular momentum", float(momentum), 1e-9)
        report.at_most(f"{name}, {dt} ps: lengths", float(lengths), 1e-13)


def compare_water(report, names, integrator, steps):
    """SPC/E by these solvers and by SETTLE: averages of a run at 300 K, and drift of the energy without a bath."""
    nvt, drifts = {}, {}
    for name in ("settle", *names):
        folder = report.work / name
        arguments = bad_input.write_input(folder, rigid_molecules.water(name == "settle"))
        algorithm = {"constraint_algorithm": "newton" if name == "settle" else name}
        bath = {"integrator": integrator, "nsteps": steps, "nstenergy": 10}
        run = holon.run(folder / "nvt", arguments, 2, timeout=7200, **bath, **algorithm, **QUIET)
        log = (folder / "nvt" / "md.log").read_text()
        has = f"{name.replace('-', '_')}: 1284 clusters" in log
        report.check(f"{name}: has the waters", has, holon.ndof(run.summary))
        nvt[name] = {key: series[200:] for key, series in trajectories.energies(folder / "nvt" / "energy.csv").items()}
        start = [*arguments[:2], "-c", folder / "nvt" / "confout.gro", *arguments[4:]]
        plain = {"tcoupl": "no", "integrator": "md-vv", "precision": "double", **SMOOTH}
        holon.run(folder / "nve", start, 2, timeout=7200, nsteps=5000, nstenergy=10, **algorithm, **QUIET, **plain)
        drifts[name] = drift(trajectories.energies(folder / "nve" / "energy.csv"), holon.ndof(run.summary), 300)
        report.note(f"{name}: drift [kT/ns per degree of freedom]", drifts[name])
    for name in names:
        for quantity in ("potential", "temperature", "pressure_bar"):
            key = next(key for key in nvt[name] if key.startswith(quantity))
            densities.compare(report, f"{name} against settle: {key}", nvt[name][key], nvt["settle"][key])
        report.at_most(f"{name}: drift less that of settle", abs(drifts[name] - drifts["settle"]), 0.05)


def water(report):
    """SPC/E by rigid bodies, by SETTLE and by Newton: averages at 300 K, and drift of the energy without a bath"""
    compare_water(report, ("rigid", "newton"), "md", 15000)


LIQUIDS = {
    "co2": ("CO2", rigid_molecules.CARBON_DIOXIDE, 6, 0.47, 310.0),
    "benzene": ("BNZ", rigid_molecules.BENZENE, 4, 0.62, 400.0),
}
LIQUID = {
    "integrator": "md",
    "dt": 0.002,
    "coulombtype": "reaction-field",
    "epsilon-rf": 1.5,
    "rcoulomb": 0.9,
    "rvdw": 0.9,
    "tc-grps": "System",
    "tau-t": 0.5,
    "gen-vel": "yes",
    "nstenergy": 10,
    "comm-mode": "Linear",
}


def liquid(which):
    def run(report):
        name, atoms, cells, spacing, temperature = LIQUIDS[which]
        bath = {"tcoupl": "v-rescale", "ref-t": temperature, "gen-temp": temperature, "nsteps": round(PICOSECONDS / 0.002)}
        mdp = "".join(f"{key} = {value}\n" for key, value in {**LIQUID, **bath}.items())
        distances = rigid_molecules.all_distances(atoms)
        files = rigid_molecules.files(name, atoms, cells, spacing, mdp, distances)
        ours = bad_input.write_input(report.work / "ours", files)
        rigid = {"constraint_algorithm": "rigid", **QUIET}
        holon.run(report.work / "nvt", ours, 2, timeout=7200, **rigid)
        found = trajectories.energies(report.work / "nvt" / "energy.csv")
        found = {key: series[found["time_ps"] >= densities.LEFT_OUT] for key, series in found.items()}

        start = [*ours[:2], "-c", report.work / "nvt" / "confout.gro", *ours[4:]]
        quiet = {**rigid, "integrator": "md-vv", "tcoupl": "no", "gen_vel": "no", "nsteps": 10000, **SMOOTH}
        done = holon.run(report.work / "nve", start, 2, timeout=7200, **quiet)
        conserved = trajectories.energies(report.work / "nve" / "energy.csv")
        found_drift = abs(drift(conserved, holon.ndof(done.summary), temperature))
        report.at_most("drift without a bath [kT/ns per degree of freedom]", found_drift, 0.05)
        report.at_most("lengths", done.summary["constraint_error"]["length_max_relative"], 1e-13)

        sites = rigid_molecules.carried(name, atoms, cells, spacing, mdp)
        folder = report.work / "theirs"
        bad_input.write_input(folder, sites)
        quantities = ["Potential", "Pressure", "Temperature"]
        how = {"constraint-algorithm": "shake", "shake-tol": 1e-8, "cutoff-scheme": "Verlet", "nstcalcenergy": 10}
        theirs = densities.of_gromacs(folder, quantities, **how)
        for quantity in quantities:
            key = next(key for key in found if key.startswith(quantity.lower()))
            densities.compare(report, f"{key}, NVT", found[key], theirs[quantity])

    run.__doc__ = f"rigid {which}: energy, pressure, drift, against gmx_d with masses and virtual sites"
    return run


def cost(report):
    """CPU time of rigid bodies on water, against SETTLE and Newton, one rank"""
    file = report.work / "spce.csv"
    options = ["--solvers", "settle,rigid,m_shake", "--repeats", 200, "--csv", file]
    result = holon.call("holon-bench-constraints", [*holon.input_files(SPCE), *options], 1, timeout=1800)
    if result.status:
        raise holon.RunError(result.stderr)
    with open(file) as text:
        rows = [row for row in csv.DictReader(text) if row["clusters"] == "rigid water"]
    times = {(row["solver"], row["stage"]): float(row["cpu_max_us"]) for row in rows}
    for stage in ("positions", "velocities"):
        report.note(f"settle, {stage} [us for 1284 waters]", times["settle", stage])
        report.note(f"rigid, {stage} [us for 1284 waters]", times["rigid", stage])
    whole = {}
    for name in ("settle", "rigid"):
        arguments = bad_input.write_input(report.work / name, rigid_molecules.water(name == "settle"))
        algorithm = {"constraint_algorithm": "newton" if name == "settle" else "rigid"}
        runs = [
            holon.run(report.work / f"{name}-{k}", arguments, 1, nsteps=500, **algorithm, **QUIET).summary for k in range(3)
        ]
        whole[name] = min(sum(run["cpu_timings_s"].values()) for run in runs)
    report.at_most("CPU time of a run with rigid waters / with SETTLE", whole["rigid"] / whole["settle"], 1.5)


CASES = {
    "2.equality": equality,
    "2.rotor": rotor,
    "2.water": water,
    "2.co2": liquid("co2"),
    "2.benzene": liquid("benzene"),
    "2.cost": cost,
}
