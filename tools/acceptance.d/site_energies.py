"""Virtual sites against double-precision GROMACS: energies, forces and virial of single points."""

import re

import numpy

import gromacs
from support import holon_runner as holon
from support import references
from support import trajectories

# Holon puts sites and rigid waters where they belong with --nsteps 0; GROMACS then starts from there.
COMMON = {"coulombtype": "reaction-field", "epsilon-rf": 78, "rcoulomb": 0.7, "rvdw": 0.7, "constraints": "none"}
DT = 0.001
# What is left of constraints at the start would count as a force of theirs.
EXACT = {"constraint_algorithm": "newton"}
JUDGE = {
    **COMMON,
    "constraint-algorithm": "shake",
    "shake-tol": 1e-12,
    "integrator": "md",
    "nsteps": 0,
    "dt": DT,
    "nstfout": 1,
    "nstxout": 1,
    "cutoff-scheme": "Verlet",
    "continuation": "yes",
    "comm-mode": "none",
}


def virial_of(folder):
    """GROMACS' virial [kJ/mol] from the e.xvg that gromacs.single_point() leaves."""
    text = (folder / "e.xvg").read_text()
    names = re.findall(r'^@ s\d+ legend "(.*)"', text, re.MULTILINE)
    values = dict(zip(names, (float(word) for word in text.splitlines()[-1].split()[1:])))
    return numpy.array([[values[f"Vir-{a}{b}"] for b in "XYZ"] for a in "XYZ"])


def compare(folder, ranks=1, precision="double", **settings):
    """{"figure": (relative difference, limit), ...} of folder/{conf.gro,topol.top,md.mdp}."""
    still = {"gen_vel": "no", "tcoupl": "no", "comm_mode": "none"}
    common = {key.replace("-", "_"): value for key, value in {**COMMON, **settings}.items()}
    files = holon.input_files(folder)
    placed = holon.run(folder / f"placed-{precision}", files, 1, nsteps=0, integrator="md", **still, **common, **EXACT)
    start = folder / f"start-{precision}"
    start.mkdir(exist_ok=True)
    (start / "conf.gro").write_bytes((placed.folder / "confout.gro").read_bytes())
    for name in ("topol.top", "md.mdp"):
        (start / name).write_bytes((folder / name).read_bytes())
    expected, forces = gromacs.single_point(start, {**JUDGE, **settings})
    again = {"nstfout": 1, "continuation": "yes", "integrator": "md", "dt": DT, "nsteps": 0, "precision": precision}
    result = holon.run(folder / f"run-{precision}", holon.input_files(start), ranks, **still, **common, **again, **EXACT)
    found = result.summary["initial"]
    energies = found["energies_kJ_per_mol"]
    energy_limit, force_limit = references.LIMITS[precision]
    largest = max(abs(value) for value in expected.values())
    figures = {
        name: (abs(energies[name] - value) / max(abs(value), 1e-3 * largest), energy_limit)
        for name, value in expected.items()
        if name in energies
    }
    difference = trajectories.forces(result.folder / "trajectory.h5md") - forces
    figures["forces"] = (rms(difference) / rms(forces), force_limit)
    virial = virial_of(start)
    error = numpy.abs(numpy.array(found["virial_kJ_per_mol"]) - virial).max()
    figures["virial"] = (error / numpy.abs(virial).max(), 1e-6 if precision == "double" else 5e-4)
    return figures


def rms(vectors):
    return float(numpy.sqrt((vectors**2).sum(axis=1).mean()))
