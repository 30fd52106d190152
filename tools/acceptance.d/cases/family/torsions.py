"""Item 5: molecules of which only torsions are free, and dynamics in torsions along the tree of their units."""

import itertools
import re

import numpy
from cases.constraints import bits as constraint_bits
from support import holon_runner as holon
from support import trajectories
from support import vacuum_peptide

LYSOZYME_ATOMS = 1960
BOLTZMANN = 0.00831446261815324  # kJ/mol/K
PICOSECONDS = 1.0
RELAXATION = 200  # steps
TIME_STEPS = (0.002, 0.004, 0.005, 0.006, 0.008, 0.010)


def recursion(report):
    """the recursion against the constrained Cartesian acceleration to 300 residues; determinants; derivatives"""
    passed, failed, printed = constraint_bits.run_tests("torsion_tree_test", 0)
    report.check("accelerations to 1e-10, ln det differs by a constant, derivatives to 1e-6", not failed, f"{len(passed)} tests")
    for ranks in (1, 2, 3, 8):
        passed, failed, _ = constraint_bits.run_tests("torsion_only_test", ranks)
        report.check(f"{ranks} ranks: constrained as on one", passed and not failed, f"{len(passed)} tests")


def linear(report):
    """the time of one acceleration, from 10 to 10,000 residues"""
    many = {"HOLON_TORSION_RESIDUES": "10000"}
    result = holon.call("torsion_tree_test", ["--gtest_filter=*Linear*"], 0, timeout=1200, environment=many)
    times = {int(n): float(t) for n, t in re.findall(r"^(\d+) residues: (\S+) us", result.stdout, re.M)}
    report.check("sizes", min(times, default=0) == 10 and max(times, default=0) == 10000, sorted(times))
    for n, time in times.items():
        report.note(f"{n} residues: us per residue", time / n)
    report.at_most("per residue, the largest against 100 residues", times[10000] / 10000 / (times[100] / 100), 2.0)


def temperatures(run):
    """Of protein and water at the last step [K], from velocities at the time of the positions."""
    log = (run.folder / "md.log").read_text()
    rigid = int(re.search(r"^\S+: 1 clusters, (\d+) constraints", log, re.M)[1])
    trajectory = run.folder / "trajectory.h5md"
    velocities = trajectories.frames(trajectory, "velocity")[1][-1]
    kinetic = 0.5 * trajectories.masses(trajectory) * numpy.sum(velocities**2, axis=1)
    waters = (len(kinetic) - LYSOZYME_ATOMS) // 3  # and ions, which are fewer than what a step changes
    freedoms = {"protein": 3 * LYSOZYME_ATOMS - rigid, "water": 6 * waters}
    energies = {"protein": kinetic[:LYSOZYME_ATOMS].sum(), "water": kinetic[LYSOZYME_ATOMS:].sum()}
    return {name: 2.0 * energies[name] / (freedoms[name] * BOLTZMANN) for name in freedoms}


def lysozyme_run(folder, arguments, dt, steps, **settings):
    """From the constrained acceleration Newton's method comes to a solution where it does not from the free step."""
    settings |= {"constraints": "torsion-only", "constraint_algorithm": "wiggle+newton", "integrator": "md-vv"}
    quiet = {"nstxout_compressed": 0, "checkpoint_interval": 0, "nstvout": steps, "nstenergy": max(1, steps // 20)}
    return holon.run(folder, arguments, dt=dt, nsteps=steps, timeout=3600, **settings, **quiet)


def keeps_energy(report, name, arguments, dt, settings):
    """A picosecond of lysozyme in water without a bath; whether it keeps its energy to 1 % of kT for each freedom."""
    name = f"{name}, {1000 * dt:.0f} fs"
    try:
        run = lysozyme_run(report.work / re.sub(r"\W+", "-", name), arguments, dt, round(PICOSECONDS / dt), tcoupl="no", **settings)
    except holon.RunError as error:
        report.note(name, str(error).strip().splitlines()[-1][:160])
        return False
    energies = trajectories.energies(run.folder / "energy.csv")
    slope = numpy.polyfit(energies["time_ps"], energies["conserved"], 1)[0]
    drift = slope * PICOSECONDS / (holon.ndof(run.summary) * BOLTZMANN * 300.0)
    report.note(f"{name}: drift [kT/ps per freedom]", drift)
    for group, temperature in temperatures(run).items():
        report.note(f"{name}: {group} [K]", temperature)
    report.at_most(f"{name}: lengths", run.summary["constraint_error"]["length_max_relative"], 1e-12)
    return abs(drift) < 0.01


def lysozyme(report):
    """lysozyme, four disulphides, in water: the largest step without a bath, with heavy hydrogens, too; temperatures"""
    start = holon.input_files(holon.INPUTS / "lysozyme")
    bath = {"tcoupl": "v-rescale", "tc_grps": "Protein Non-Protein", "tau_t": "0.02 0.1", "ref_t": "300 300"}
    for name, factor, least in (("masses as they are", 1, 0.002), ("heavy hydrogens", 3, 0.004)):
        settings = {"mass_repartition_factor": factor}
        relaxed = lysozyme_run(report.work / re.sub(r"\W+", "-", f"{name} relaxed"), start, 0.002, RELAXATION, **bath, **settings)
        arguments = [relaxed.folder / "confout.gro" if str(word).endswith("conf.gro") else word for word in start]
        stable = list(itertools.takewhile(lambda dt: keeps_energy(report, name, arguments, dt, settings), TIME_STEPS))
        report.at_least(f"{name}: largest step that keeps the energy [fs]", 1000 * max(stable, default=0), 1000 * least)


ANNEALING = """
integrator = md-vv
dt = 0.002
nsteps = 3000
nstenergy = 10
nstxout-compressed = 0
constraints = torsion-only
constraint-algorithm = wiggle+newton
mass-repartition-factor = 3
rcoulomb = 1.0
rvdw = 1.0
coulombtype = PME
tcoupl = v-rescale
tc-grps = Protein Non-Protein
tau-t = 0.05 0.05
ref-t = 300 300
gen-vel = yes
annealing = single single
annealing-npoints = 3 3
annealing-time = 0 3 6  0 3 6
annealing-temp = 300 500 300  300 500 300
"""


def annealing(report):
    """a peptide in water, torsions only, heated to 500 K and cooled as in refinement: temperatures, lengths, energy"""
    (report.work / "md.mdp").write_text(ANNEALING)
    run = holon.run(report.work / "run", holon.input_files(holon.INPUTS / "peptide", report.work / "md.mdp"), 2)
    energies = trajectories.energies(run.folder / "energy.csv")
    time, temperature = energies["time_ps"], energies["temperature_K"]
    wanted = numpy.interp(time - 0.05, [0, 3, 6], [300, 500, 300])  # the bath is behind by its tau-t
    report.note("hottest [K]", float(temperature.max()))
    later = time > 0.5
    report.at_most("rms distance from the reference [K]", float(numpy.sqrt(numpy.mean((temperature - wanted)[later] ** 2))), 20)
    change = (energies["conserved"][later].max() - energies["conserved"][later].min()) / energies["kinetic"].mean()
    report.at_most("change of the conserved energy over the kinetic", float(change), 0.01)
    report.at_most("lengths", run.summary["constraint_error"]["length_max_relative"], 1e-12)


def minimise(report):
    """a peptide: the energy falls with every step, bonds and angles stay; modes are those of the Cartesian Hessian"""
    passed, failed, _ = constraint_bits.run_tests("torsion_minimiser_test", 0)
    report.check("falls with every step, bonds and angles stay; modes as projected", passed and not failed, f"{len(passed)} tests")
    passed, failed, _ = constraint_bits.run_tests("torsion_loops_test", 0)
    report.check("closed loops: accelerations, turns", passed and not failed, f"{len(passed)} tests")
    arguments = vacuum_peptide.write(report.work / "peptide")
    steps, minimum = report.work / "steps.csv", report.work / "minimum.gro"
    result = holon.call("holon-torsions", ["minimise", *arguments, "--csv", steps, "--gro", minimum])
    report.check("converged", "Converged" in result.stdout, result.stdout.splitlines()[-1])
    rows = numpy.genfromtxt(steps, delimiter=",", names=True)
    report.note("steps", len(rows) - 1)
    report.note("energy, from [kJ/mol]", rows["energy_kJ_per_mol"][0])
    report.note("energy, to [kJ/mol]", rows["energy_kJ_per_mol"][-1])
    report.check("energy falls with every step", bool(numpy.all(numpy.diff(rows["energy_kJ_per_mol"]) < 0)), len(rows))
    found = [numpy.array(vacuum_peptide.wavenumbers(report.work, arguments, *way)) for way in ([], ["--cartesian"])]
    report.note("modes", len(found[0]))
    report.at_most("against the projected Cartesian Hessian, of the largest", numpy.abs(found[0] - found[1]).max() / found[1].max(), 1e-5)


CASES = {"5.annealing": annealing, "5.linear": linear, "5.lysozyme": lysozyme, "5.minimise": minimise, "5.recursion": recursion}
