"""Relative rms error of the forces on the atoms of conf.gro, by Holon and GROMACS, with the settings that are timed.

Settings are spelt with underscores.
"""

import gromacs
from support import holon_runner as holon
from support import references

# Errors of production settings are above 1e-5.
EXACT = {"precision": "double", "mesh": "esp", "mesh_accuracy": 1e-6}


def point(settings):
    """Settings of a single point: all forces at once, also where a run has some of them every so many steps only."""
    return {**{key: value for key, value in settings.items() if not key.startswith("mts")}, **references.SINGLE_POINT}


def of_run(work, folder, ranks, settings):
    arguments = [*holon.input_files(folder), "--overwrite"]
    return references.single_point(work, arguments, ranks, **point(settings))[1]


def reference(work, folder, settings, ranks):
    """Forces [kJ/mol/nm] without errors that count."""
    return of_run(work / "exact", folder, ranks, {**settings, **EXACT})


def of_holon(work, folder, settings, ranks, exact):
    return references.relative_rms(of_run(work / "point", folder, ranks, settings), exact)


def of_gromacs(build, work, folder, settings, ranks, exact):
    """Of a build of GROMACS, in its precision."""
    work = work / "point"
    work.mkdir(exist_ok=True)
    gromacs.run_input(work, folder, point(settings), program=build.program)
    words = ["mdrun", "-deffnm", "gmx", *build.mdrun(ranks), "-notunepme"]
    gromacs.gmx(work, *words, program=build.program, ranks=build.launched_ranks(ranks))
    return references.relative_rms(gromacs.forces_of_run(work, "gmx", program=build.program), exact)
