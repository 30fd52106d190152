"""GROMACS as the judge: systems in other force fields and their single points in double precision; its speed.

Uses Debian's `gromacs` (gmx_d) and `gromacs-openmpi` (gmx_mpi).
"""

import re
import shutil
import subprocess

import numpy

from support import holon_runner as holon
from support import references

MINIMISE = {
    "integrator": "steep",
    "nsteps": 50,
    "coulombtype": "reaction-field",
    "epsilon-rf": 78,
    "rcoulomb": 0.9,
    "rvdw": 0.9,
}


class Missing(Exception):
    """A program of GROMACS that is not installed."""


def gmx(folder, *words, program="gmx_d", stdin="", ranks=0, seconds=None):
    """Runs GROMACS in a folder; raises RunError if it fails, or takes longer than so many seconds."""
    if not shutil.which(program):
        raise Missing(f"{program} is not installed")
    launcher = holon.launch(ranks) if ranks else []
    command = [*launcher, program, "-quiet", "-nobackup", *map(str, words)]
    try:
        done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise holon.RunError(f"{' '.join(command)}: still running after {seconds} s") from None
    if done.returncode != 0:
        raise holon.RunError(f"{' '.join(command)}\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
    return done


def write_mdp(path, settings):
    path.write_text("".join(f"{key.replace('_', '-')} = {value}\n" for key, value in settings.items()))


def read_mdp(path):
    """The settings of an .mdp file, as text, keys spelt with underscores."""
    lines = (line.split(";")[0].split("=", 1) for line in path.read_text().splitlines())
    return {line[0].strip().replace("-", "_"): line[1].strip() for line in lines if len(line) == 2}


def run_input(work, system, settings, program="gmx_d"):
    """Makes work/gmx.tpr of an input folder, its parameters changed by `settings`; returns what grompp said."""
    write_mdp(work / "gmx.mdp", {**read_mdp(system / "md.mdp"), **settings})
    files = ["-f", "gmx.mdp", "-c", system / "conf.gro", "-p", system / "topol.top", "-o", "gmx.tpr", "-po", "out.mdp"]
    done = gmx(work, "grompp", *files, "-maxwarn", 1, program=program)
    return done.stdout + done.stderr


def peptide(folder, force_field, box=("-bt", "dodecahedron", "-d", 0.6), residues=40, more=()):
    """The first residues of lysozyme in water, slightly minimised: conf.gro and topol.top in `folder`.

    `box`: options of `gmx editconf`. `more`: of `gmx pdb2gmx`.
    """
    lines = (holon.INPUTS / "lysozyme" / "conf.gro").read_text().splitlines()
    atoms = [line for line in lines[2:1000] if int(line[:5]) <= residues]
    (folder / "fragment.gro").write_text("\n".join(["fragment", str(len(atoms)), *atoms, lines[-1]]) + "\n")
    gmx(
        folder,
        "pdb2gmx",
        "-f",
        "fragment.gro",
        "-ff",
        force_field,
        "-water",
        "tip3p",
        "-ignh",
        *more,
        "-o",
        "p.gro",
        "-p",
        "topol.top",
    )
    gmx(folder, "editconf", "-f", "p.gro", "-o", "b.gro", *box)
    gmx(folder, "solvate", "-cp", "b.gro", "-cs", "spc216.gro", "-p", "topol.top", "-o", "s.gro")
    write_mdp(folder / "em.mdp", MINIMISE)
    gmx(
        folder,
        "grompp",
        "-f",
        "em.mdp",
        "-c",
        "s.gro",
        "-p",
        "topol.top",
        "-o",
        "em.tpr",
        "-po",
        "em.out.mdp",
        "-maxwarn",
        2,
    )
    gmx(folder, "mdrun", "-deffnm", "em", "-ntmpi", 1)
    shutil.move(folder / "em.gro", folder / "conf.gro")


def solvated_protein(folder, force_field="oplsaa", water="spce"):
    """Lysozyme in a cube of water with counter-ions, as tutorials make it: start.gro, topol.top and posre.itp in `folder`."""
    lines = (holon.INPUTS / "lysozyme" / "conf.gro").read_text().splitlines()
    residues = [(line[5:10].strip(), line) for line in lines[2:-1]]
    end = next(k for k, (name, _) in enumerate(residues) if name in ("SOL", "HOH", "WAT"))
    protein = [line for name, line in residues[:end] if name not in ("NA", "CL", "SOD", "CLA")]
    (folder / "protein.gro").write_text("\n".join(["protein", str(len(protein)), *protein, lines[-1]]) + "\n")
    gmx(folder, "pdb2gmx", "-f", "protein.gro", "-ff", force_field, "-water", water, "-ignh", "-o", "p.gro", "-p", "topol.top")
    gmx(folder, "editconf", "-f", "p.gro", "-o", "b.gro", "-bt", "cubic", "-d", 0.8, "-c")
    gmx(folder, "solvate", "-cp", "b.gro", "-cs", "spc216.gro", "-p", "topol.top", "-o", "s.gro")
    write_mdp(folder / "ions.mdp", MINIMISE)
    files = ["-c", "s.gro", "-p", "topol.top", "-o", "ions.tpr", "-po", "ions.out.mdp", "-maxwarn", 2]
    gmx(folder, "grompp", "-f", "ions.mdp", *files)
    ions = ["-pname", "NA", "-nname", "CL", "-neutral"]
    gmx(folder, "genion", "-s", "ions.tpr", "-o", "start.gro", "-p", "topol.top", *ions, stdin="SOL\n")


def single_point(folder, settings):
    """Energies [kJ/mol] by Holon's names and forces [kJ/mol/nm] of folder/conf.gro, by double-precision GROMACS."""
    write_mdp(folder / "sp.mdp", {"nstcalcenergy": 1, "nstenergy": 1, **settings})
    gmx(
        folder,
        "grompp",
        "-f",
        "sp.mdp",
        "-c",
        "conf.gro",
        "-p",
        "topol.top",
        "-o",
        "sp.tpr",
        "-po",
        "sp.out.mdp",
        "-maxwarn",
        2,
    )
    gmx(folder, "mdrun", "-deffnm", "sp", "-ntmpi", 1)
    forces = forces_of_run(folder, "sp")
    gmx(folder, "energy", "-f", "sp.edr", "-dp", "-o", "e.xvg", stdin="\n".join(map(str, range(1, 80))) + "\n\n")
    text = (folder / "e.xvg").read_text()
    names = re.findall(r'^@ s\d+ legend "(.*)"', text, re.MULTILINE)
    values = [float(word) for word in text.splitlines()[-1].split()[1:]]
    return references.rename(dict(zip(names, values))), forces


def forces_of_run(folder, name, program="gmx_d"):
    """Forces [kJ/mol/nm] of the one frame of folder/name.trr, before those of constraints."""
    files = ["-f", f"{name}.trr", "-s", f"{name}.tpr", "-of", "f.xvg"]
    gmx(folder, "traj", *files, "-fp", "-xvg", "none", program=program, stdin="0\n")
    return numpy.array([float(word) for word in (folder / "f.xvg").read_text().split()[1:]]).reshape(-1, 3)


def ns_per_day(log):
    """Speed from a GROMACS log."""
    return float(re.search(r"^Performance:\s+(\S+)", log.read_text(), re.MULTILINE)[1])


def seconds_per_call(log, row):
    """Wall time of a call from a row of the cycle accounting of a GROMACS log, such as "PME mesh"."""
    calls, seconds = re.search(rf"^ {row}\s+\d+\s+\d+\s+(\d+)\s+([\d.]+)", log.read_text(), re.MULTILINE).groups()
    return float(seconds) / int(calls)


def fourier_grid(said):
    """The grid of PME from what grompp said: [nx, ny, nz]."""
    return [int(n) for n in re.search(r"Using a fourier grid of (\d+)x(\d+)x(\d+)", said).groups()]
