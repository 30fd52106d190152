"""Item 7: the chain of runs of the usual tutorials: minimisation, NVT, NPT, production of lysozyme in water."""

import numpy

import canonical
import gromacs
from support import holon_runner as holon
from support import trajectories

# As such folders have them: keys and values of GROMACS only.
COMMON = {
    "cutoff-scheme": "Verlet",
    "nstlist": 10,
    "ns_type": "grid",
    "coulombtype": "PME",
    "rcoulomb": 1.0,
    "rvdw": 1.0,
    "pme_order": 4,
    "fourierspacing": 0.16,
    "pbc": "xyz",
}
DYNAMICS = {
    **COMMON,
    "integrator": "md",
    "dt": 0.002,
    "nstxout": 500,
    "nstvout": 500,
    "nstenergy": 20,
    "nstlog": 500,
    "constraint_algorithm": "lincs",
    "constraints": "h-bonds",
    "lincs_iter": 1,
    "lincs_order": 4,
    "DispCorr": "EnerPres",
    "tcoupl": "V-rescale",
    "tc-grps": "Protein Non-Protein",
    "tau_t": "0.1 0.1",
    "ref_t": "300 300",
}
PRESSURE = {
    "pcoupltype": "isotropic",
    "ref_p": 1.0,
    "compressibility": 4.5e-5,
    "refcoord_scaling": "com",
}
PARTS = {
    "em": (2, {**COMMON, "integrator": "steep", "emtol": 1000.0, "emstep": 0.01, "nsteps": 50000}),
    "nvt": (
        1,
        {**DYNAMICS, "define": "-DPOSRES", "nsteps": 1000, "gen_vel": "yes", "gen_temp": 300, "gen_seed": -1, "pcoupl": "no"},
    ),
    "npt": (
        3,
        {**DYNAMICS, **PRESSURE, "define": "-DPOSRES", "nsteps": 3000, "continuation": "yes", "gen_vel": "no"}
        | {"pcoupl": "C-rescale", "tau_p": 1.0},
    ),
    "md": (
        2,
        {**DYNAMICS, **PRESSURE, "nsteps": 2000, "continuation": "yes", "gen_vel": "no"}
        | {"pcoupl": "Parrinello-Rahman", "tau_p": 2.0},
    ),
}


def chain(report):
    """lysozyme from pdb2gmx, solvate and genion: steep, NVT and C-rescale with position restraints, Parrinello-Rahman"""
    work = report.work
    gromacs.solvated_protein(work)
    coordinates = work / "start.gro"
    for name, (ranks, settings) in PARTS.items():
        gromacs.write_mdp(work / f"{name}.mdp", settings)
        files = ["-f", work / f"{name}.mdp", "-c", coordinates, "-p", work / "topol.top"]
        if "POSRES" in str(settings.get("define", "")):
            files += ["-r", coordinates]
        result = holon.run(work / name, files, ranks, timeout=7200, overwrite=None)
        report.check(f"{name}, {ranks} ranks: status", result.summary["status"] == "finished", result.summary["status"])
        coordinates = work / name / "confout.gro"
        if name == "em":
            report.at_most("em: potential energy [kJ/mol]", result.summary["final"]["energies_kJ_per_mol"]["potential"], -5e5 / 2)
            continue
        rows = trajectories.energies(work / name / "energy.csv")
        late = rows["time_ps"] > 0.3 * rows["time_ps"][-1]
        temperature = rows["temperature_K"][late]
        report.note(f"{name}: temperature [K]", float(temperature.mean()))
        report.at_most(f"{name}: temperature off 300 K", abs(float(temperature.mean()) - 300), 3.0)
        if "density_kg_m3" in rows:
            density = rows["density_kg_m3"][late]
            report.note(f"{name}: density [kg/m^3]", float(density.mean()))
            report.note(f"{name}: its standard error", canonical.block_error(density))
            report.check(f"{name}: density of a protein in water", 990 < density.mean() < 1060, float(density.mean()), "990 to 1060")
        drift = numpy.polyfit(rows["time_ps"][late], rows["conserved"][late], 1)[0]
        report.note(f"{name}: drift of the conserved energy [kJ/mol/ps]", float(drift))


CASES = {"7.chain": chain}
