"""Item 2: virtual sites of every kind, alone, in waters, in a protein; their bits, drift and speed."""

import shutil

import gromacs
from support import holon_runner as holon
import builds
import measure
import physics
import site_energies
from support import sites
from support.same_bits import hashes, split_run

LAYOUTS = [(1, None), (2, None), (3, None), (8, None)]
PROTEIN = {"constraints": "all-bonds", "dt": 0.005, "coulombtype": "PME", "rcoulomb": 0.9, "rvdw": 0.9}


def log_differences(report, folder, name="", **settings):
    for precision in ("double", "mixed"):
        figures = site_energies.compare(folder, 2, precision, **settings)
        for figure, (value, limit) in figures.items():
            report.at_most(f"{name} {precision}: {figure}".strip(), value, limit)


def kind(name):
    def run(report):
        log_differences(report, sites.write_molecules(report.work / "alone", (name,)))

    run.__doc__ = f"{name}: energies, forces and virial against gmx_d"
    return run


def every_kind(report):
    """all kinds in one molecule, and each water: energies, forces and virial against gmx_d"""
    log_differences(report, sites.write_molecules(report.work / "molecules", sites.JUDGED), "molecules")
    for model in sites.WATERS:
        log_differences(report, sites.write_water(report.work / model, model), model)


def protein(folder):
    """Forty residues of lysozyme in water, hydrogens as sites: conf.gro, topol.top and md.mdp."""
    gromacs.peptide(folder, "amber99sb-ildn", more=("-vsite", "hydrogens"))
    bath = {"tcoupl": "v-rescale", "tc-grps": "System", "tau-t": 0.1, "ref-t": 300, "ld-seed": 3}
    start = {"gen-vel": "yes", "gen-temp": 300, "gen-seed": 4, "integrator": "md", "nsteps": 200}
    gromacs.write_mdp(folder / "md.mdp", {**PROTEIN, **bath, **start})
    return folder


def protein_energies(report):
    """pdb2gmx -vsite hydrogens: energies and forces against gmx_d"""
    log_differences(report, protein(report.work), rcoulomb=0.9, rvdw=0.9)


def bits(report):
    """the same bits on 1, 2, 3 and 8 ranks, and from a restart"""
    systems = {model: sites.write_water(report.work / model, model) for model in sites.WATERS}
    systems["molecules"] = sites.write_molecules(report.work / "molecules")
    (report.work / "protein").mkdir()
    systems["protein"] = protein(report.work / "protein")
    for name, folder in systems.items():
        files = holon.input_files(folder)
        found = hashes(folder / "ranks", files, LAYOUTS, nsteps=200)
        report.check(f"{name}: on any ranks", len(set(found.values())) == 1, len(set(found.values())), "= 1")
        split = split_run(folder / "split", files, 200)
        report.check(f"{name}: restart", split.state_hash in found.values(), split.state_hash, "the same")


def drift(report):
    """NVE of TIP4P/2005 at 2 fs: drift of the conserved energy; goes on where it was stopped"""
    folder = report.work / "water"
    if not (folder / "equilibrated").exists():
        shutil.rmtree(folder, ignore_errors=True)  # of a start that was stopped
        equilibrated_water(folder, side=10)
        (folder / "equilibrated").touch()
    physics.check_drift(report, holon.input_files(folder), 2e-5, integrator="md-vv", tcoupl="no", gen_vel="no")


drift.keeps_its_folder = True


def equilibrated_water(folder, side):
    """side^3 waters of TIP4P/2005 at 298 K."""
    sites.write_water(folder, "tip4p-2005", side)
    settings = {"rcoulomb": 0.9, "rvdw": 0.9}
    calm = holon.run(folder / "steep", holon.input_files(folder), 2, integrator="steep", nsteps=50, **settings)
    (folder / "conf.gro").write_bytes((calm.folder / "confout.gro").read_bytes())
    warm = holon.run(folder / "warm", holon.input_files(folder), 2, timeout=7200, nsteps=5000, **settings)
    (folder / "conf.gro").write_bytes((warm.folder / "confout.gro").read_bytes())
    text = (folder / "md.mdp").read_text().replace("coulomb = 0.7", "coulomb = 0.9").replace("rvdw = 0.7", "rvdw = 0.9")
    (folder / "md.mdp").write_text(text.replace("gen-vel = yes", "gen-vel = no"))


def speed(report, rounds=3, seconds=10):
    """TIP4P/2005 in turns with gmx_mpi: the ratio is that of SPC/E at least"""
    equilibrated_water(report.work / "tip4p", side=12)
    ratios = {}
    for name, folder in (("SPC/E", holon.INPUTS / "spce"), ("TIP4P/2005", report.work / "tip4p")):
        work = report.work / name.replace("/", "-")
        runner = measure.Runner(work, 2, rounds, seconds, builds=builds.required())
        found = runner.measure("system", folder, {"coulombtype": "PME"}, errors=False)
        ratios[name] = found["ratio"]
        report.note(f"{name}: holon-md [ns/day]", found["ns_per_day"])
        report.note(f"{name}: gmx_mpi [ns/day]", found["gromacs_ns_per_day"])
        report.note(f"{name}: holon-md / gmx_mpi", found["ratio"])
    report.at_least("ratio of TIP4P/2005 over that of SPC/E", ratios["TIP4P/2005"] / ratios["SPC/E"], 1.0)


CASES = {f"2.kind-{name}": kind(name) for name in sites.JUDGED}
CASES |= {
    "2.every-kind": every_kind,
    "2.protein": protein_energies,
    "2.bits": bits,
    "2.drift": drift,
    "2.speed": speed,
}
