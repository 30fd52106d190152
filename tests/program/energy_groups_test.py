#!/usr/bin/env python3
"""energygrps: energies by pairs of groups are those of GROMACS in double precision, add up to the terms of which they are
the parts, and are the same on any ranks."""

import shutil
import unittest

import function_types_test as chains
from support import holon_runner as holon
from support import trajectories

PAIRS = "[ pairs ]\n1 5 1 1e-5 1e-10\n1 4 1 2e-5 2e-10\n2 5 2 0.5 0.3 -0.2 1e-5 1e-10\n[ pairs_nb ]\n2 4 1 0.3 -0.2 1e-5 1e-10"
BETWEEN = "[ intermolecular_interactions ]\n[ pairs ]\n1 9 1 1e-3 1e-6\n2 10 1 1e-3 1e-6\n"
KINDS = {"coulomb-short": "Coul-SR", "lj": "LJ-SR", "coulomb-14": "Coul-14", "lj-14": "LJ-14"}
SETTINGS = {**chains.SETTINGS, "energygrps": "First Last", "epsilon_rf": 1}
PME = {"coulombtype": "PME", "fourierspacing": 0.1}


class EnergyGroups(holon.ProgramTest):
    def files(self, **settings):
        positions = list(chains.chains())
        atoms = range(1, len(positions) + 1)
        groups = {"System": atoms, "First": [*atoms[::5], *atoms[1::5]], "Last": atoms[4::5]}
        (self.work / "conf.gro").write_text(chains.gro(positions))
        (self.work / "topol.top").write_text(chains.topology(PAIRS, BETWEEN))
        (self.work / "g.ndx").write_text("".join(f"[ {k} ]\n{' '.join(map(str, v))}\n" for k, v in groups.items()))
        text = "".join(f"{key} = {value}\n" for key, value in {**SETTINGS, **settings}.items())
        (self.work / "md.mdp").write_text(text)
        return [*holon.input_files(self.work), "-n", self.work / "g.ndx"]

    def judge(self):
        """{"lj:First-Last": kJ/mol, ...} by GROMACS."""
        extra = "cutoff-scheme = verlet\nverlet-buffer-tolerance = -1\nrlist = 1.1\n"
        (self.work / "gmx.mdp").write_text((self.work / "md.mdp").read_text() + extra)
        files = ("-f", "gmx.mdp", "-c", "conf.gro", "-p", "topol.top", "-n", "g.ndx", "-o", "t.tpr", "-maxwarn", 20)
        chains.gmx(self.work, "grompp", *files)
        chains.gmx(self.work, "mdrun", "-s", "t.tpr", "-deffnm", "t", "-ntmpi", 1, "-ntomp", 1)
        every = "\n".join(map(str, range(1, 90)))
        chains.gmx(self.work, "energy", "-f", "t.edr", "-dp", "-o", "e.xvg", answer=every + "\n\n")
        values = dict(zip(*chains.last_row(self.work / "e.xvg")))
        names = ("First", "Last", "rest")
        pairs = [f"{a}-{b}" for k, a in enumerate(names) for b in names[k:]]
        return {f"{mine}:{pair}": values[f"{theirs}:{pair}"] for mine, theirs in KINDS.items() for pair in pairs}

    @unittest.skipUnless(shutil.which("gmx_d"), "GROMACS in double precision is not at hand")
    def test_against_gromacs(self):
        for name, settings in (("reaction-field", {}), ("PME", PME)):
            arguments = self.files(**settings)
            expected = self.judge()
            run = holon.run(self.work / name, arguments, 3, precision="double", mesh="spme", domains="1x1x3")
            found = run.summary["initial"]["group_energies_kJ_per_mol"]
            self.assertEqual(set(found), set(expected))
            for key, value in expected.items():
                scale = max(abs(other) for k, other in expected.items() if k.split(":")[0] == key.split(":")[0])
                self.assertAlmostEqual(found[key], value, delta=1e-6 * scale, msg=f"{name} {key}")

    def test_parts_of_the_whole(self):
        settings = {"integrator": "md", "nsteps": 4, "gen_vel": "yes", "nstenergy": 2, "continuation": "no", "dt": 1e-5}
        for coulomb in ({}, {"coulombtype": "cut-off"}, PME):
            arguments = self.files(**settings, **coulomb)
            folder = self.work / coulomb.get("coulombtype", "reaction-field")
            runs = [
                holon.run(folder / str(ranks), arguments, ranks, domains=domains)
                for ranks, domains in ((1, "1x1x1"), (2, "1x1x2"), (8, "2x2x2"))
            ]
            self.assertEqual(len({(run.folder / "energy.csv").read_text() for run in runs}), 1)
            columns = trajectories.energies(runs[0].folder / "energy.csv")
            for kind in KINDS:
                if kind == "coulomb-short" and coulomb is PME:
                    continue  # here each charge by itself is part of the short range, as in GROMACS
                total = sum(values for name, values in columns.items() if name.startswith(kind + ":"))
                self.assertLess(abs(total - columns[kind]).max(), 1e-6 * abs(columns[kind]).max(), kind)
            self.assertIn("lj:First-rest", (runs[0].folder / "md.log").read_text())
            whole = holon.run(folder / "none", arguments, 2, energygrps="")
            self.assertEqual(whole.state_hash, runs[0].state_hash)
            self.assertNotIn("lj:", (whole.folder / "energy.csv").read_text())

    def test_bad_groups(self):
        arguments = self.files()
        refused = holon.run(self.work / "no", arguments, status=holon.BAD_INPUT, energygrps="First System")
        self.assertIn("energygrps = First System: atom 1 is in the groups", refused.stderr)


if __name__ == "__main__":
    holon.main()
