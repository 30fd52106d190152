#!/usr/bin/env python3
"""Every function type of bonded interactions and restraints: energies, virial and forces are those of GROMACS in double
precision, and the same to the last bit wherever domains cut. Skipped without gmx_d."""

import math
import random
import shutil
import subprocess
import unittest

from support import holon_runner as holon
import numpy
from support import trajectories

CELLS, SPACING = 3, 1.4  # chains on a grid, farther apart than the cutoff lets them feel
CHAINS = CELLS**3
FORCE_FIELD = """[ defaults ]
1 1 no 1.0 0.5
[ atomtypes ]
A 6 12.0 0.0 A 0 0
[ moleculetype ]
chain 4
[ atoms ]
"""
# Lines of a topology, and GROMACS' names of what they become.
KINDS = {
    "bonds 1": ("[ bonds ]\n1 2 1 0.14 3e4\n2 3 1 0.15 2e4", ["Bond"]),
    "bonds 2": ("[ bonds ]\n1 2 2 0.14 3e6\n2 3 2 0.15 2e6", ["G96Bond"]),
    "bonds 3": ("[ bonds ]\n1 2 3 0.14 400 20\n2 3 3 0.15 300 25", ["Morse"]),
    "bonds 4": ("[ bonds ]\n1 2 4 0.14 3e4 -2.0\n2 3 4 0.15 3e4 1.0", ["Cubic-Bonds"]),
    "bonds 5, 6": ("[ bonds ]\n1 2 5\n2 3 6 0.13 3000\n3 4 5\n4 5 6 0.13 3000", ["Harmonic-Pot."]),
    "bonds 7": ("[ bonds ]\n1 2 7 0.3 3e4\n2 3 7 0.25 2e4", ["FENE-Bonds"]),
    "bonds 10": (
        "[ bonds ]\n1 2 10 0.1 0.12 0.14 3e4\n2 3 10 0.2 0.25 0.3 2e4\n3 4 10 0.1 0.11 0.12 1e4\n4 5 10 0.1 0.2 0.3 1e4",
        ["Restraint-Pot."],
    ),
    "angles 1": ("[ angles ]\n1 2 3 1 110 400\n2 3 4 1 100 300", ["Angle"]),
    "angles 2": ("[ angles ]\n1 2 3 2 110 400\n2 3 4 2 100 300", ["G96Angle"]),
    "angles 3": ("[ angles ]\n1 2 3 3 0.14 0.13 3e4\n2 3 4 3 0.14 0.13 2e4", ["Bond-Cross"]),
    "angles 4": ("[ angles ]\n1 2 3 4 0.14 0.13 0.22 3e4\n2 3 4 4 0.14 0.13 0.22 2e4", ["BA-Cross"]),
    "angles 5": ("[ angles ]\n1 2 3 5 110 400 0.24 2e4\n2 3 4 5 100 300 0.23 1e4", ["U-B"]),
    "angles 6": ("[ angles ]\n1 2 3 6 100 1.0 -5 300 40 -20", ["Quartic-Angles"]),
    "angles 9": ("[ angles ]\n1 2 3 9 0.4 2000\n2 3 4 9 0.7 1000", ["Lin.-Angle"]),
    "angles 10": ("[ angles ]\n1 2 3 10 110 60\n2 3 4 10 100 30", ["Restr.-Angles"]),
    "bonds 8, 9": ("[ bonds ]\n1 2 8 0 3e4\n2 3 8 1 2\n1 4 9 0 500\n2 5 9 1 0.3", ["Tab.-Bonds", "Tab.-Bonds-NC"]),
    "angles 8": ("[ angles ]\n1 2 3 8 0 40\n2 3 4 8 0 30\n3 4 5 8 0 -10", ["Tab.-Angles"]),
    "dihedrals 8": ("[ dihedrals ]\n1 2 3 4 8 0 4\n2 3 4 5 8 0 -3", ["Tab.-Dih."]),
    "dihedrals 1": ("[ dihedrals ]\n1 2 3 4 1 40 10 3\n2 3 4 5 1 100 30 1", ["Proper-Dih."]),
    "dihedrals 2": ("[ dihedrals ]\n1 2 3 4 2 40 100\n2 3 4 5 2 100 30", ["Improper-Dih."]),
    "dihedrals 3": ("[ dihedrals ]\n1 2 3 4 3 9.28 12.16 -13.12 -3.06 26.24 -31.5", ["Ryckaert-Bell."]),
    "dihedrals 4": ("[ dihedrals ]\n1 2 3 4 4 180 10 2\n2 3 4 5 4 180 30 2", ["Per.-Imp.-Dih."]),
    "dihedrals 5": ("[ dihedrals ]\n1 2 3 4 5 4 -3 2 1\n2 3 4 5 5 1 2 3 4", ["Fourier-Dih."]),
    "dihedrals 10": ("[ dihedrals ]\n1 2 3 4 10 40 0.06\n2 3 4 5 10 100 0.03", ["Restr.-Dih."]),
    "dihedrals 11": ("[ dihedrals ]\n1 2 3 4 11 3 -2 5 1 4 -1\n2 3 4 5 11 1 2 -3 0 0 0", ["CBT-Dih."]),
    "pairs 1": ("[ pairs ]\n1 5 1 1e-5 1e-10\n1 4 1 2e-5 2e-10", ["LJ-14", "Coulomb-14"]),
    "pairs 2": ("[ pairs ]\n1 5 2 0.5 0.3 -0.2 1e-5 1e-10", ["LJ-14", "Coulomb-14"]),
    "pairs_nb": ("[ pairs_nb ]\n1 5 1 0.3 -0.2 1e-5 1e-10", ["LJ-(SR)"]),
    "position_restraints 1": ("[ position_restraints ]\n1 1 1000 2000 3000\n3 1 100 0 200", ["Position-Rest."]),
    "position_restraints 2": (
        "[ position_restraints ]\n1 2 1 0.05 1000\n2 2 2 0.05 1000\n3 2 3 -0.2 1000\n4 2 8 0.01 1000\n5 2 6 -0.3 1000",
        ["Flat-b.-P-R."],
    ),
    "position_restraints 2, other shapes": (
        "[ position_restraints ]\n1 2 4 0.05 1000\n2 2 5 0.05 1000\n3 2 7 0.02 1000\n4 2 7 -0.3 1000\n5 2 1 -0.4 1000",
        ["Flat-b.-P-R."],
    ),
    "angle_restraints": ("[ angle_restraints ]\n1 2 4 5 1 30 50 1\n1 3 2 5 1 20 30 2", ["Angle-Rest."]),
    "angle_restraints_z": ("[ angle_restraints_z ]\n1 2 1 30 50 1\n1 3 1 20 30 2", ["Angle-Rest.-Z"]),
    "dihedral_restraints": ("[ dihedral_restraints ]\n1 2 3 4 1 40 10 200\n2 3 4 5 1 -120 20 300", ["Dih.-Rest."]),
}
BETWEEN = {
    "intermolecular bonds": ("[ bonds ]\n1 8 6 0.5 1000\n3 77 10 0.1 0.3 0.5 500", ["Harmonic-Pot.", "Restraint-Pot."]),
    "intermolecular angles": ("[ angles ]\n1 8 31 1 100 200\n5 64 100 2 100 200", ["Angle", "G96Angle"]),
    "intermolecular dihedrals": (
        "[ dihedrals ]\n1 8 9 3 1 30 20 2\n[ dihedral_restraints ]\n2 6 10 4 1 0 0 100",
        ["Proper-Dih.", "Dih.-Rest."],
    ),
    "intermolecular pairs": ("[ pairs ]\n1 9 1 1e-3 1e-6\n2 10 1 1e-3 1e-6", ["LJ-14", "Coulomb-14"]),
}
# One restraint of two pairs, and others of one each: below low, within bounds, beyond up2.
RESTRAINED = {
    "distance restraints": """[ distance_restraints ]
1 7 1 0 1 0.1 0.2 0.3 1
2 13 1 0 1 0.1 0.2 0.3 1
3 9 1 1 1 1.9 2 2.1 2
4 8 1 2 1 0.1 3 4 1
5 8 1 3 1 0.1 1.0 4 1
""",
    "averaged restraints": """[ distance_restraints ]
1 7 1 0 1 0.1 0.2 9 1
2 13 1 0 1 0.1 0.2 9 1
3 9 1 1 1 0.1 0.2 0.3 2
4 8 1 2 2 0.1 0.2 9 1
""",
    "weak restraints": """[ distance_restraints ]
1 7 1 0 1 0.1 0.2 9 1
2 13 1 0 1 0.1 0.2 9 1
3 9 1 1 2 0.1 0.2 9 2
4 10 1 1 2 0.1 0.2 9 2
""",
}
# Tables of x, V and dV/dx: (first, last, intervals, V, dV/dx).
TABLES = {
    "table_b0.xvg": (0.0, 2.0, 400, lambda b: 0.5 * (b - 0.14) ** 2, lambda b: b - 0.14),
    "table_b1.xvg": (0.0, 2.0, 250, lambda b: 20 * math.cos(9 * b), lambda b: -180 * math.sin(9 * b)),
    "table_a0.xvg": (0.0, 180.0, 360, lambda a: (a / 60) ** 3, lambda a: (a / 60) ** 2 / 20),
    "table_d0.xvg": (
        *(-180.0, 180.0, 90),
        lambda p: math.cos(math.radians(p)) ** 3,
        lambda p: -3 * math.cos(math.radians(p)) ** 2 * math.sin(math.radians(p)) * math.pi / 180,
    ),
}
# GROMACS takes these forces to act between other images: its virial is wrong across the box.
WITHIN_THE_BOX = ("angle_restraints", "angle_restraints_z")
# Holon's energies of GROMACS' terms, where they are not the sum of the rest.
OTHERS = {"potential", "kinetic", "conserved", "coulomb-short"}
SETTINGS = {
    "integrator": "md-vv",
    "nsteps": 0,
    "dt": 0.001,
    "nstfout": 1,
    "nstenergy": 1,
    "nstcalcenergy": 1,
    "nstxout_compressed": 0,
    "coulombtype": "reaction-field",
    "epsilon_rf": 78,
    "rcoulomb": 1.0,
    "rvdw": 1.0,
    "continuation": "yes",
    "comm_mode": "none",
    "refcoord_scaling": "all",
}


def unit_vector(numbers):
    while True:
        v = [numbers.uniform(-1, 1) for _ in range(3)]
        if 0.1 < math.hypot(*v) < 1:
            return numpy.array(v) / math.hypot(*v)


def chains(origin=0.0):
    """Five atoms each, no three of them near a line; some lie across the box, if the origin is 0."""
    numbers = random.Random(3)
    for cell in range(CHAINS):
        x = origin + numpy.array([SPACING * (cell // n % CELLS) for n in (CELLS**2, CELLS, 1)], float)
        last = unit_vector(numbers)
        for _ in range(5):
            yield x
            step = unit_vector(numbers)
            while numpy.linalg.norm(numpy.cross(last, step)) < 0.5:
                step = unit_vector(numbers)
            x, last = x + (0.15 + numbers.uniform(-0.02, 0.02)) * step, step


def gro(positions):
    lines = [f"{k // 5 + 1:5d}CHAIN{'C' + str(k % 5 + 1):>5s}{k + 1:5d}" for k in range(len(positions))]
    lines = [line + "".join(f"{c:14.9f}" for c in x) for line, x in zip(lines, positions)]
    side = CELLS * SPACING
    return "\n".join(["Chains", str(len(lines)), *lines, f"{side} {side} {side}"]) + "\n"


def topology(lines, between=""):
    atoms = "\n".join(f"{i} A 1 CHAIN C{i} {i} {0.2 * (-1) ** i} 12.0" for i in range(1, 6))
    return f"{FORCE_FIELD}{atoms}\n{lines}\n[ system ]\nChains\n[ molecules ]\nchain {CHAINS}\n{between}"


def write_tables(folder):
    for name, (first, last, n, energy, slope) in TABLES.items():
        points = [first + k * (last - first) / n for k in range(n + 1)]
        lines = [f"{x:.15g} {energy(x):.17e} {-slope(x):.17e}" for x in points]
        (folder / name).write_text("# x, V, -dV/dx\n@ title \"table\"\n" + "\n".join(lines) + "\n")


def gmx(folder, *words, answer=""):
    done = subprocess.run(["gmx_d", *map(str, words)], cwd=folder, input=answer, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"gmx_d {words[0]}: {done.stderr[-2000:]}")


def last_row(path):
    names, row = [], []
    with open(path) as file:
        for line in file:
            if " legend " in line and line.startswith("@ s"):
                names.append(line.split('"')[1])
            elif line[0] not in "#@":
                row = [float(word) for word in line.split()[1:]]
    return names, row


def judge(folder, terms, **settings):
    """Energy of these terms, diagonal of the virial, and forces [atom][xyz] by GROMACS."""
    (folder / "gmx.mdp").write_text(
        "".join(f"{key} = {value}\n" for key, value in {**SETTINGS, **settings}.items())
        + "cutoff-scheme = verlet\nverlet-buffer-tolerance = -1\nrlist = 1.1\n"
    )
    files = ("-f", "gmx.mdp", "-c", "conf.gro", "-r", "reference.gro", "-p", "topol.top", "-o", "t.tpr")
    gmx(folder, "grompp", *files, "-maxwarn", 20)
    tables = ("-tableb", *TABLES) if (folder / "table_b0.xvg").exists() else ()
    gmx(folder, "mdrun", "-s", "t.tpr", "-deffnm", "t", "-ntmpi", 1, "-ntomp", 1, *tables)
    wanted = [*terms, "Vir-XX", "Vir-YY", "Vir-ZZ"]
    gmx(folder, "energy", "-f", "t.edr", "-dp", "-o", "e.xvg", answer="\n".join(wanted) + "\n\n")
    _, energies = last_row(folder / "e.xvg")
    gmx(folder, "traj", "-f", "t.trr", "-s", "t.tpr", "-of", "f.xvg", "-fp", answer="0\n")
    _, forces = last_row(folder / "f.xvg")
    # The energies are written in the file's order, which is that of the terms, too.
    return sum(energies[:-3]), numpy.array(energies[-3:]), numpy.array(forces).reshape(-1, 3)


@unittest.skipUnless(shutil.which("gmx_d"), "GROMACS in double precision is not at hand")
class FunctionTypes(holon.ProgramTest):
    def files(self, lines, between="", origin=0.0):
        numbers = random.Random(5)
        positions = list(chains(origin))
        references = [x + [numbers.uniform(-0.1, 0.1) for _ in range(3)] for x in positions]
        (self.work / "conf.gro").write_text(gro(positions))
        (self.work / "reference.gro").write_text(gro(references))
        (self.work / "topol.top").write_text(topology(lines, between))
        (self.work / "md.mdp").write_text("".join(f"{key} = {value}\n" for key, value in SETTINGS.items()))
        return [
            *("-f", self.work / "md.mdp", "-c", self.work / "conf.gro", "-p", self.work / "topol.top"),
            *("-r", self.work / "reference.gro"),
        ]

    def check(self, kind, as_terms=None, **settings):
        if " 8" in kind:
            write_tables(self.work)
        if kind in KINDS:
            lines, terms = KINDS[kind]
            terms = as_terms or terms
            arguments = self.files(lines, origin=0.5 * SPACING if kind in WITHIN_THE_BOX else 0.0)
        else:
            lines, terms = BETWEEN.get(kind, (RESTRAINED.get(kind), ["Dis.-Rest."]))
            arguments = self.files("", f"[ intermolecular_interactions ]\n{lines}\n")
        energy, virial, forces = judge(self.work, terms, **settings)
        result = holon.run(self.work / "one", arguments, precision="double", **settings)
        initial = result.summary["initial"]
        energies = initial["energies_kJ_per_mol"]
        mine = sum(value for term, value in energies.items() if term not in OTHERS)
        self.assertAlmostEqual(mine, energy, delta=1e-6 * abs(energy) + 1e-9, msg=kind)
        found = trajectories.forces(self.work / "one" / "trajectory.h5md")
        scale = numpy.abs(forces).max()
        # GROMACS interpolates the forces of pairs in tables.
        limit = 1e-5 if "pairs" in kind else 1e-6
        self.assertLess(numpy.abs(found - forces).max(), limit * scale + 1e-5, kind)
        mine = numpy.diag(initial["virial_kJ_per_mol"])
        self.assertLess(numpy.abs(mine - virial).max(), 2 * limit * numpy.abs(virial).max() + 1e-5, kind)
        cut = holon.run(self.work / "cut", arguments, 8, precision="double", domains="2x2x2", nsteps=3, **settings)
        whole = holon.run(self.work / "whole", arguments, precision="double", nsteps=3, **settings)
        self.assertEqual(cut.state_hash, whole.state_hash, kind)

    def test_harmonic_bonds_become_morse_bonds(self):
        (self.work / "edissoc.dat").write_text("AB B 100\nA A 523\n")
        self.check("bonds 1", as_terms=["Morse"], morse="yes")

    def test_distance_restraints(self):
        self.check("distance restraints", disre="simple", disre_fc=800)

    def test_distance_restraints_of_equal_weight(self):
        self.check("distance restraints", disre="simple", disre_weighting="equal")

    def test_distance_restraints_of_equal_weight_within_up2(self):
        self.check("weak restraints", disre="simple", disre_weighting="equal")


def test_of(kind):
    return lambda self: self.check(kind)


for name in [*KINDS, *BETWEEN]:
    setattr(FunctionTypes, "test_" + name.replace(" ", "_").replace(",", ""), test_of(name))


if __name__ == "__main__":
    holon.main()
