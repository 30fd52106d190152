"""Minimisation from bad starts, double-precision GROMACS as the judge; the same bits on 1, 2 and 3 ranks."""

import csv
import re

from support import bad_starts
import gromacs
from support import holon_runner as holon

# Where GROMACS finds no way: atoms at the very same place do not push each other apart, and a hydrogen falls into an
# oxygen without end.
ALONE = ("same-place", "all-at-one-place", "doubled-water", "hydrogen-in-oxygen")
# Where neither finds one: the start can not be brought onto its constraints. Without them there is a way.
BEYOND = ("stretched-constrained", "crumpled-constrained")
SOUND = {  # [kJ/mol] below which the start has come apart
    "same-place": -800.0,
    "all-at-one-place": -200.0,
    "doubled-water": -6500.0,
    "hydrogen-in-oxygen": -4000.0,
}


def by_gromacs(folder):
    """Potential energy [kJ/mol], largest force [kJ/mol/nm] and steps of GROMACS' minimisation."""
    files = ["-f", "md.mdp", "-c", "conf.gro", "-p", "topol.top", "-o", "gmx.tpr", "-po", "out.mdp", "-maxwarn", 5]
    gromacs.gmx(folder, "grompp", *files)
    gromacs.gmx(folder, "mdrun", "-deffnm", "gmx", "-ntmpi", 1, "-ntomp", 1, seconds=120)
    log = (folder / "gmx.log").read_text()
    steps = re.search(r"(?:in|after) (\d+) steps", log)[1]
    potential = re.search(r"^Potential Energy\s+=\s+(\S+)", log, re.MULTILINE)[1]
    force = re.search(r"^Maximum force\s+=\s+(\S+)", log, re.MULTILINE)[1]
    return float(potential), float(force), int(steps)


def by_holon(folder, ranks):
    """The same of Holon's, and the hash of the state."""
    result = holon.run(folder / f"run{ranks}", holon.input_files(folder), ranks, checkpoint_interval=0)
    log = (result.folder / "md.log").read_text()
    force = float(log.split("the largest force is ")[-1].split()[0])
    summary = result.summary
    return summary["final"]["energies_kJ_per_mol"]["potential"], force, summary["end_step"], summary["state_hash"]


def steps_to(energy, run):
    """The first step of a run with no more potential energy than that; its last, if it has always more."""
    with open(run / "energy.csv") as file:
        rows = list(csv.DictReader(file))
    low = (int(row["step"]) for row in rows if float(row["potential"]) <= energy)
    return next(low, int(rows[-1]["step"]))


def in_two_goes(report, folder):
    files = holon.input_files(folder)
    failed = holon.run(folder / "failed", files, status=holon.FAILED)
    report.check("says what to do", "constraints = none" in failed.stderr)
    free = holon.run(folder / "free", files, constraints="none")
    bound = holon.run(folder / "bound", [*files[:2], "-c", free.folder / "confout.gro", *files[4:]])
    energy = bound.summary["final"]["energies_kJ_per_mol"]["potential"]
    report.at_most("potential energy, constraints at last [kJ/mol]", energy, 2000.0)


def down_from(name):
    def case(report):
        if name in BEYOND:
            in_two_goes(report, bad_starts.make(name, report.work / "start"))
            return
        folder = bad_starts.make(name, report.work / "start")
        runs = {ranks: by_holon(folder, ranks) for ranks in (1, 2, 3)}
        report.check("same bits on 1, 2 and 3 ranks", len(set(runs.values())) == 1, len(set(runs.values())), "1")
        energy, force, steps, _ = runs[1]
        report.note("steps", steps)
        if name in ALONE:
            report.at_most("potential energy [kJ/mol]", energy, SOUND[name])
            report.note("largest force [kJ/mol/nm]", force)
            return
        try:
            judge, judge_force, judge_steps = by_gromacs(folder)
        except holon.RunError as error:
            report.note("GROMACS fails", str(error)[-80:])
            report.at_most("largest force [kJ/mol/nm]", force, 3000.0)
            return
        report.note("steps of GROMACS", judge_steps)
        # Two descents from afar end in neighbouring valleys: within 2 % of the energy, and forces of the same size.
        enough = judge + 0.02 * abs(judge) + 20.0
        report.at_most("potential energy [kJ/mol]", energy, enough)
        report.at_most("largest force [kJ/mol/nm]", force, max(10.0 * judge_force, 300.0))
        share = steps_to(enough, folder / "run1") / judge_steps
        report.at_most("steps to that energy over GROMACS' steps", share, 1.0)

    case.__doc__ = f"minimisation from {name}"
    return case


CASES = {f"starts.{name}": down_from(name) for name in bad_starts.START}
