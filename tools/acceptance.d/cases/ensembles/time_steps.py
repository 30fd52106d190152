"""Item 6: forces that act seldom, heavy hydrogens, and how long steps may be."""

import statistics

import gromacs
import in_turns
from cases.ensembles import conserved, densities, ratios
from support import holon_runner as holon
from support import trajectories

MTS = {"mts": "yes", "mts-levels": 2, "mts-level2-forces": "longrange-nonbonded", "mts-level2-factor": 2}
HEAVY = {"mass-repartition-factor": 3}
BONDS = ("h-bonds", "all-bonds", "h-angles")
KINDS = {"": {}, "mts": MTS, "heavy": HEAVY, "heavy, mts": {**HEAVY, **MTS}}
STEPS = (0.002, 0.003, 0.004, 0.005, 0.006)  # ps
TABLE_PICOSECONDS = 30.0
TOLERATED = 0.05  # kT/ns/dof
UNSTABLE = 3.0  # from where on longer steps need not be tried
PEPTIDE = {
    "coulombtype": "PME",
    "rcoulomb": 0.9,
    "rvdw": 0.9,
    "vdw-modifier": "force-switch",
    "rvdw-switch": 0.75,
    "DispCorr": "no",
    "constraint-algorithm": "newton",
    "pcoupl": "no",
    "nstxout-compressed": 0,
    "nstlog": 0,
    "checkpoint-interval": 500,
}
AVERAGES = {
    "integrator": "md",
    "tcoupl": "v-rescale",
    "tau-t": 0.2,
    "pcoupl": "C-rescale",
    "tau-p": 0.5,
    "ref-p": 1.0,
    "ref-t": 298.15,
    "gen-vel": "yes",
    "gen-temp": 298.15,
}
AVERAGED_PICOSECONDS, LEFT_OUT = 160.0, 10.0


def exact(report):
    """energies and forces of a step with mts are those without, to the last bit, whatever is in level 2"""
    of_velocities = ("kinetic", "conserved")  # of half a step, in which level 2 acts as an impulse
    keys = {**PEPTIDE, "nsteps": 0, "nstfout": 2, "tcoupl": "no", "gen-vel": "no", "continuation": "yes"}

    def single_point(name, more):
        folder = report.work / name
        files = holon.input_files(holon.INPUTS / "peptide")
        result = holon.run(folder, files, 2, **ratios.words({**keys, **more}))
        energies = result.summary["initial"]["energies_kJ_per_mol"]
        return {term: value for term, value in energies.items() if term not in of_velocities}, trajectories.forces(folder / "trajectory.h5md")

    energies, forces = single_point("whole", {})
    for apart in ("", " nonbonded", " pair dihedral angle", " nonbonded pair dihedral angle"):
        level = {**MTS, "mts-level2-forces": f"longrange-nonbonded{apart}"}
        found, sums = single_point("apart" + apart.replace(" ", "-"), level)
        report.check(f"longrange-nonbonded{apart}: energies", found == energies, "same" if found == energies else "differ")
        same = bool((sums == forces).all())
        report.check(f"longrange-nonbonded{apart}: forces", same, "same" if same else "differ")


def averages(report):
    """waters at 298 K, 1 bar, 4 fs with heavy hydrogens and mts against 2 fs without: averages"""
    files = ratios.start(report.work.parent / "ensemble-start")

    def series(name, dt, more):
        keys = {**ratios.SETTINGS, **AVERAGES, **more, "dt": dt, "nsteps": round(AVERAGED_PICOSECONDS / dt)}
        keys |= {"nstenergy": round(0.04 / dt), "gen-seed": round(1e4 * dt), "ld-seed": round(2e4 * dt)}
        holon.run(report.work / name, files, 1, timeout=3600, **ratios.words(keys))
        rows = trajectories.energies(report.work / name / "energy.csv")
        return {key: values[rows["time_ps"] >= LEFT_OUT] for key, values in rows.items()}

    short = series("short", 0.002, {})
    long = series("long", 0.004, {**HEAVY, **MTS})
    for column, name in (
        ("potential", "potential energy [kJ/mol]"),
        ("temperature_K", "temperature [K]"),
        ("density_kg_m3", "density [kg/m^3]"),
    ):
        densities.compare(report, name, long[column], short[column], "2 fs")


def start_of_fragment(folder):
    """Three residues in water that have come to 300 K: the files of a run."""
    files = ["-f", folder / "empty.mdp", "-p", folder / "topol.top"]
    if not (folder / "nvt" / "confout.gro").exists():
        folder.mkdir(parents=True, exist_ok=True)
        gromacs.peptide(folder, "amber99sb-ildn", ("-bt", "cubic", "-d", 0.6), residues=3)
        (folder / "empty.mdp").write_text("; every key is given as an option\n")
        keys = ratios.words({**PEPTIDE, "constraints": "h-bonds"})
        start = ["-c", folder / "conf.gro"]
        holon.run(folder / "em", [*files, *start], 1, overwrite=None, integrator="steep", nsteps=200, **keys)
        bath = {"tcoupl": "v-rescale", "tc_grps": "System", "tau_t": 0.1, "ref_t": 300, "gen_vel": "yes", "gen_temp": 300}
        start = ["-c", folder / "em" / "confout.gro"]
        holon.run(folder / "nvt", [*files, *start], 1, overwrite=None, integrator="md", dt=0.002, nsteps=5000, **bath, **keys)
    return [*files, "-c", folder / "nvt" / "confout.gro"]


def drift(report, files, bonds, kind, dt):
    """[kT/ns/dof] of a run at constant energy; infinite if it fails."""
    name = f"{bonds} {kind} {1e3 * dt:g}".replace(", ", "-").replace(" ", "-")
    steps = round(TABLE_PICOSECONDS / dt / 2) * 2
    keys = {**PEPTIDE, **KINDS[kind], "constraints": bonds, "integrator": "md-vv", "tcoupl": "no", "comm-mode": "none"}
    keys |= {"dt": dt, "nsteps": steps, "nstenergy": 10, "gen-vel": "no"}
    try:
        result = holon.run(report.work / name, files, 1, timeout=1800, **ratios.words(keys))
    except holon.RunError:
        return float("inf"), 0.0
    rows = trajectories.energies(report.work / name / "energy.csv")
    later = rows["time_ps"] >= 0.25 * TABLE_PICOSECONDS
    slope, error = conserved.drift_of(rows["time_ps"][later], rows["conserved"][later], holon.ndof(result.summary, "none"))
    return slope, error


def table(report):
    """drift against the step: h-bonds, all-bonds, h-angles, with and without heavy hydrogens and mts: three residues in water"""
    files = start_of_fragment(report.work.parent / "fragment-start")
    longest = {}
    for bonds in BONDS:
        for kind in KINDS:
            for dt in STEPS:
                found, error = drift(report, files, bonds, kind, dt)
                row = f"{bonds}{', ' if kind else ''}{kind}"
                report.note(f"{row}, {1e3 * dt:g} fs: drift [kT/ns/dof]", found)
                report.note(f"{row}, {1e3 * dt:g} fs: standard error", error)
                if abs(found) <= TOLERATED + 2 * error:
                    longest[row] = dt
                if not abs(found) < UNSTABLE:
                    break
            report.note(f"{row}: longest step within {TOLERATED} kT/ns/dof [fs]", 1e3 * longest.get(row, 0.0))
    report.at_least("h-bonds: longest step [ps]", longest.get("h-bonds", 0.0), 0.002)
    for bonds in BONDS:
        report.at_least(f"{bonds}, heavy: longest step [ps]", longest.get(f"{bonds}, heavy", 0.0), longest.get(bonds, 0.0))
    report.at_least("h-bonds, heavy, mts: longest step [ps]", longest.get("h-bonds, heavy, mts", 0.0), 0.004)


def gain(report):
    """ns/day of a peptide in water: steps of 4 fs with heavy hydrogens and mts over 2 fs without, in turns"""
    files = holon.input_files(holon.INPUTS / "peptide")
    speeds = {"plain": [], "mts": [], "long": []}
    common = {**PEPTIDE, "constraints": "h-bonds", "integrator": "md", "gen-vel": "yes", "gen-temp": 300, "nsteps": 600, "nstenergy": 100}
    for turn in range(3):
        for kind, more in (("plain", {}), ("mts", MTS), ("long", {**HEAVY, **MTS, "dt": 0.004})):
            result = holon.run(report.work / f"{kind}-{turn}", files, 2, **ratios.words({**common, **more}))
            speeds[kind].append(result.summary["ns_per_day"])
    medians = {kind: statistics.median(each) for kind, each in speeds.items()}
    for kind, speed in medians.items():
        report.note(f"{kind} [ns/day]", float(speed))
    report.at_least("4 fs, heavy hydrogens, mts over 2 fs", float(medians["long"] / medians["plain"]), 1.8)


def versus_gromacs(report):
    """a peptide in water with mts, in turns with gmx_mpi and the same keys, 2 ranks"""
    keys = {"constraints": "h-bonds", "coulombtype": "PME", "nstxout_compressed": 0, "nstenergy": 100, "nstlog": 0}
    keys |= {"nstcalcenergy": 100, "pcoupl": "no", "DispCorr": "no", **ratios.words(MTS)}
    in_turns.in_turns(report, holon.INPUTS / "peptide", keys, 1.0, 3, 8)


CASES = {
    "6.exact": exact,
    "6.averages": averages,
    "6.table": table,
    "6.gain": gain,
    "6.gmx": versus_gromacs,
}
