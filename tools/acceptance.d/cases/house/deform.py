"""Item 4: boxes that `deform` changes: same bits, energies of the box, shear stress, and the error of the mesh."""

import numpy

from cases.ensembles import densities
from support import holon_runner as holon
from support import trajectories

PME = {"coulombtype": "PME", "rcoulomb": 0.9, "rvdw": 0.9}
BATH = {"tcoupl": "v-rescale", "tc-grps": "System", "tau-t": 0.05, "ref-t": 300}
QUIET = {"nstxout-compressed": 0, "nstenergy": 10, "nstlog": 0, "continuation": "no"}
STEPS, DT = 400, 0.002
SYSTEMS = {
    "spce-esp": ("spce", PME),
    "spce-spme": ("spce", {**PME, "mesh": "spme"}),
    "lysozyme-h-bonds": ("lysozyme", {**PME, "constraints": "h-bonds"}),
}
RANKS = (2, 3, 8)


def words(settings):
    return {key.replace("-", "_"): value for key, value in settings.items()}


def length_of(name):
    """The first element of the box [nm]."""
    return float((holon.INPUTS / name / "conf.gro").read_text().splitlines()[-1].split()[0])


def case(kind, name, settings):
    def run(report):
        lean = 0.6 * length_of(name) / (STEPS * DT)  # [nm/ps]; beyond half the box it flips
        deform = f"{0.02 * lean} 0 0 {lean} {-0.7 * lean} {0.5 * lean}"
        files = holon.input_files(holon.INPUTS / name)
        keys = words({**QUIET, **BATH, **settings, "nsteps": STEPS, "dt": DT, "deform": deform})
        whole = holon.run(report.work / "1", files, 1, timeout=3600, **keys)
        hashes = {n: holon.run(report.work / f"{n}", files, n, timeout=3600, **keys).state_hash for n in RANKS}
        holon.run(report.work / "half", files, 3, timeout=3600, **{**keys, "nsteps": STEPS // 2})
        rest = ["--restart", report.work / "half" / "checkpoint.h5"]
        hashes["restart"] = holon.run(report.work / "rest", rest, 2, timeout=3600, nsteps=STEPS).state_hash
        for layout, state_hash in hashes.items():
            report.check(f"state hash: {layout}", state_hash == whole.state_hash, state_hash, whole.state_hash)
        rows = trajectories.energies(whole.folder / "energy.csv")
        report.note("smallest and largest b(x) [nm]", f"{rows['box_yx_nm'].min():.3f} {rows['box_yx_nm'].max():.3f}")
        energies_of_the_box(report, whole)

    run.__doc__ = f"{kind}: leans from a cube to flips; 1, 2, 3, 8 ranks, restart, energies of the box"
    return run


def energies_of_the_box(report, run):
    """What a start at the last state says of it."""
    again = ["--restart", run.folder / "checkpoint.h5"]
    started = holon.run(report.work / "start", again, 2, nsteps=STEPS)
    ours, expected = (r.summary["final"]["energies_kJ_per_mol"] for r in (run, started))
    terms = [key for key in expected if key not in ("conserved",)]
    off = max(abs(ours[key] - expected[key]) for key in terms) / abs(expected["potential"])
    report.at_most("energies off those of a start at this box, relative", off, 1e-9)


SHEAR_RATE = 0.05  # [1/ps]


def shear_stress(report):
    """shear stress of SPC/E at 0.05/ps, 150 ps, against gmx_mpi"""
    folder = densities.water(report.work, "spce")
    height = float((folder / "conf.gro").read_text().splitlines()[-1].split()[1])
    keys = {"deform": f"0 0 0 {SHEAR_RATE * height:.6f} 0 0", "pcoupl": "no", "nsteps": 75000, "tau-t": 0.1, "DispCorr": "no"}
    keys |= {"nstenergy": 10, "nstcalcenergy": 10, "comm-mode": "linear"}
    ours = densities.of_holon(folder, "run", **words({key: f"{value}" for key, value in keys.items()}))
    theirs = densities.of_gromacs(folder, ["Pres-XY", "Temperature", "Potential"], "gmx_mpi", ranks=1, **words(keys))
    densities.compare(report, "shear stress [bar]", -ours["pressure_yx_bar"], -theirs["Pres-XY"])
    densities.compare(report, "temperature [K]", ours["temperature_K"], theirs["Temperature"])
    densities.compare(report, "potential energy [kJ/mol]", ours["potential"], theirs["Potential"])


def mesh_error(report):
    """a box that grows by 20 %: the error of the mesh, measured, and what is said of it"""
    growth, steps, asked = 0.2, 1000, 5e-4
    rate = growth * length_of("spce") / (steps * DT)
    deform = f"{rate} {rate} {rate} 0 0 0"
    keys = words({**QUIET, **BATH, **PME, "nsteps": steps, "dt": DT, "deform": deform, "mesh-accuracy": asked})
    errors = []
    for part in (0.0, 0.15, 0.5, 1.0):
        steps_so_far = round(part * steps)
        run = holon.run(report.work / f"{part}", holon.input_files(holon.INPUTS / "spce"), 2, **{**keys, "nsteps": steps_so_far})
        again = ["--restart", run.folder / "checkpoint.h5"]
        mesh = holon.run(report.work / f"{part}-again", again, 2, nsteps=steps_so_far).summary["mesh"]
        errors.append(mesh["measured_error"])
        report.note(f"error of the mesh after {100 * part * growth:.0f} %", errors[-1])
        warned = "The box has grown by" in (run.folder / "md.log").read_text()
        report.check(f"warned of after {100 * part * growth:.0f} %", warned == (part * growth > 0.035), warned)
    report.at_most("within what was asked as long as nothing is said", errors[1], asked)
    report.check("errors grow", bool(numpy.all(numpy.diff(errors) > 0)))


CASES = {
    **{f"4.{kind}": case(kind, name, settings) for kind, (name, settings) in SYSTEMS.items()},
    "4.shear": shear_stress,
    "4.mesh": mesh_error,
}
