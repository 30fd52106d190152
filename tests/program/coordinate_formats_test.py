#!/usr/bin/env python3
"""Coordinates from .pdb, .cif and .g96 files, as GROMACS and others write them: the same start as from a .gro file."""

import re
import shutil
import subprocess
import unittest

import function_types_test as chains
from support import holon_runner as holon
import numpy
from support import trajectories

BONDS = "[ bonds ]\n1 2 1 0.15 3000\n2 3 1 0.15 3000\n3 4 1 0.15 3000\n4 5 1 0.15 3000\n[ position_restraints ]\n1 1 10 20 30"
SETTINGS = {**chains.SETTINGS, "nstxout": 1, "rcoulomb": 0.9, "rvdw": 0.9}
SKEWED = "60 70 80"  # degrees between b and c, a and c, a and b


def cif_of(pdb):
    """The same in PDBx/mmCIF, with another loop before that of the atoms, a second model and what quotes are for."""
    cell, atoms = None, []
    for line in pdb.splitlines():
        if line.startswith("CRYST1"):
            cell = line[6:54].split()
        elif line.startswith("ATOM"):
            atoms.append((line[12:16].strip(), line[17:20], line[22:26].strip(), line[30:54].split()))
    names = ("length_a", "length_b", "length_c", "angle_alpha", "angle_beta", "angle_gamma")
    lines = ["data_TEST", "#", "loop_", "_entity.id", "_entity.details", "1 'an atom''s name'", "2", ";_atom_site.id", ";"]
    lines += ["_struct.title 'Chains, in a box'", "loop_"]
    columns = ("group_PDB", "id", "label_atom_id", "label_comp_id", "auth_seq_id", "Cartn_y", "Cartn_x", "Cartn_z")
    lines += [f"_atom_site.{name}" for name in (*columns, "pdbx_PDB_model_num")]
    for model in (1, 2):
        for k, (name, residue, number, (x, y, z)) in enumerate(atoms):
            lines.append(f"ATOM {k + 1} \"{name}\" {residue} {number} {y} {x} {z} {model}")
    return "\n".join([*lines, "#", *(f"_cell.{name} {value}" for name, value in zip(names, cell)), ""])


class CoordinateFormats(holon.ProgramTest):
    def setUp(self):
        super().setUp()
        (self.work / "conf.gro").write_text(chains.gro(list(chains.chains(0.5 * chains.SPACING))))
        (self.work / "topol.top").write_text(chains.topology(BONDS))
        (self.work / "md.mdp").write_text("".join(f"{key} = {value}\n" for key, value in SETTINGS.items()))

    def start(self, name, **settings):
        """Positions, velocities and box of a run that starts from a file, and its summary."""
        files = ["-f", self.work / "md.mdp", "-p", self.work / "topol.top", "-c", self.work / name]
        run = holon.run(self.work / ("run-" + name), [*files, "-r", self.work / name], 2, **settings)
        lines = (run.folder / "confout.gro").read_text().splitlines()
        words = [line[20:].split() for line in lines[2:-1]]
        return numpy.array(words, float), [float(word) for word in lines[-1].split()], run

    def refused(self, name, text, message):
        (self.work / name).write_text(text)
        files = ["-f", self.work / "md.mdp", "-p", self.work / "topol.top", "-c", self.work / name]
        result = holon.call("holon-md", [*files, "-o", self.work / "no"])
        self.assertEqual(result.status, holon.BAD_INPUT)
        self.assertIn(message, result.stderr)
        self.assertEqual(len(holon.messages(result.stderr)), 1)

    def gmx(self, *words):
        chains.gmx(self.work, *words)

    @unittest.skipUnless(shutil.which("gmx_d"), "GROMACS is not at hand")
    def test_as_gromacs_writes_them(self):
        self.gmx("editconf", "-f", "conf.gro", "-bt", "tric", "-angles", *SKEWED.split(), "-box", 4.2, 4.4, 4.6, "-o", "s.gro")
        self.gmx("editconf", "-f", "s.gro", "-o", "s.pdb")
        self.gmx("editconf", "-f", "s.gro", "-o", "s.g96")
        (self.work / "s.cif").write_text(cif_of((self.work / "s.pdb").read_text()))
        exact, box, run = self.start("s.gro")
        for name in ("s.pdb", "s.cif", "s.g96"):
            x, other_box, other = self.start(name)
            limit = 1e-5 if name == "s.g96" else 6e-4
            self.assertLess(numpy.abs(x - exact)[:, :3].max(), limit, name)
            numpy.testing.assert_allclose(other_box, box, atol=limit, err_msg=name)
            key = "energies_kJ_per_mol"
            energy = run.summary["initial"][key]["potential"]
            self.assertAlmostEqual(other.summary["initial"][key]["potential"], energy, delta=0.03 * abs(energy))
        pdb, cif = self.start("s.pdb", overwrite=None)[2], self.start("s.cif", overwrite=None)[2]
        self.assertEqual(pdb.state_hash, cif.state_hash)

    def test_velocities(self):
        lines = (self.work / "conf.gro").read_text().splitlines()
        atoms = [line[20:].split() for line in lines[2:-1]]
        block = ["POSITION", *(f"{line[:5]} {line[5:10]} {line[10:15]}{k + 1:7d}" + "".join(f"{c:>15s}" for c in x)
                 for k, (line, x) in enumerate(zip(lines[2:-1], atoms))), "END"]
        velocity = ["VELOCITYRED", *(f"{0.001 * k:15.9f} 0.25 -0.5" for k in range(len(atoms))), "END"]
        text = "\n".join(["TITLE", "Chains", "END", "# a remark", *block, *velocity, "BOX", lines[-1], "END", ""])
        (self.work / "v.g96").write_text(text)
        first, last = "\n".join(["TITLE", "VELOCITY and POSITION", "END", "BOX", lines[-1], "END", "", *velocity]), "\n".join(block)
        (self.work / "w.g96").write_text(f"{first}\n{last}\n{last.replace('0.', '1.')}\n{first}\n")  # and another frame
        x, _, run = self.start("v.g96", continuation="yes")
        self.assertEqual(self.start("w.g96", continuation="yes")[2].summary["initial"], run.summary["initial"])
        self.assertGreater(run.summary["initial"]["energies_kJ_per_mol"]["kinetic"], 1.0)
        numpy.testing.assert_allclose(x[:, :3], self.start("conf.gro")[0][:, :3], atol=1e-9)
        numpy.testing.assert_allclose(x[7, 3:], [0.007, 0.25, -0.5], atol=1e-9)

    def test_order_of_a_pdb_file(self):
        """Numbers that begin again, one chain after another with the same name: atoms stay where they are."""
        atoms = list(chains.chains(0.5 * chains.SPACING))
        lines = ["CRYST1   42.000   42.000   42.000  90.00  90.00  90.00 P 1           1", "MODEL        1"]
        for k, x in enumerate(atoms):
            place = "".join(f"{10 * c:8.3f}" for c in x)
            lines.append(f"HETATM{k % 7:5d} {'C' + str(k % 5 + 1):^4s} LIG A{k % 3:4d}    {place}  1.00  0.00")
        model = "\n".join([*lines, "ENDMDL", *lines[1:], "ENDMDL", "END"])
        (self.work / "order.pdb").write_text(model + "\n")
        x, box, _ = self.start("order.pdb")
        side = numpy.array(box)
        off = x[:, :3] - numpy.array(atoms)
        self.assertLess(numpy.abs(off - side * numpy.rint(off / side)).max(), 6e-5)

    def test_refusals(self):
        pdb = "CRYST1   42.000   42.000   42.000  90.00  90.00  90.00\n"
        atom = "ATOM      1  C1  LIG A   1      {}   1.000   1.000\n"
        self.refused("a.pdb", atom.format("1.000"), "a.pdb: there is no CRYST1 record")
        self.refused("b.pdb", pdb, "b.pdb: there is no ATOM or HETATM record")
        self.refused("c.pdb", pdb + atom.format("1.x00"), "c.pdb: 1 atoms, but the topology has 135")
        self.refused("d.pdb", pdb + 135 * atom.format("1.x00"), "d.pdb:2: expected x in columns 31 to 38")
        self.refused("e.pdb", pdb.replace("90.00  90.00  90.00", "10.00  90.00 170.00"), "has such")
        self.refused("a.g96", "TITLE\nx\nEND\n", "a.g96: there is no block POSITION")
        self.refused("b.g96", "POSITIONRED\n1 2\nEND\nBOX\n1 2 x\nEND\n", "b.g96:5: expected the box")
        self.refused("c.g96", "BOX\n1 2 3\nEND\nPOSITIONRED\n1 2 3\n", "c.g96:4: the block POSITIONRED has no END")
        self.refused("e.cif", "data_x\n_struct.title\n;a\nb\n", "e.cif:3: the text that begins here has no end")
        self.refused("a.cif", "data_x\n_cell.length_a 12\n", "a.cif: there is no loop of _atom_site")
        loop = "data_x\nloop_\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n"
        self.refused("b.cif", loop + "1 2\n", "the loop of _atom_site has no cartn_z")
        self.refused("c.cif", loop + "_atom_site.Cartn_z\n1 2\n", "the last row of _atom_site is not complete")
        self.refused("d.cif", loop + "_atom_site.Cartn_z\n1 2 3\n", "expected a number for _cell.length_a")


if __name__ == "__main__":
    holon.main()
