"""Malformed inputs, each made from a good one by one change, and what the message about it must say.

`good_input()` is the text of the three files of a small system; `CASES` are the changes to them. What takes more than a
changed file (folders, permissions, checkpoints) is in bad_input.py.
"""

import dataclasses
import re
from typing import Callable

PARAMETERS = """\
integrator = md
dt = 0.002
nsteps = 2
nstenergy = 1
coulombtype = reaction-field
epsilon-rf = 78
rcoulomb = 0.9
rvdw = 0.9
constraints = h-bonds
tcoupl = v-rescale
tc-grps = System
tau-t = 0.1
ref-t = 300
ld-seed = 7
"""

TOPOLOGY = """\
; four-site chains and rigid water
[ defaults ]
1 2 yes 0.5 0.8333
[ atomtypes ]
C3 6 12.011 0.0 A 0.34 0.45
HC 1 1.008 0.0 A 0.26 0.06
OW 8 15.9994 0.0 A 0.316557 0.650629
HW 1 1.008 0.0 A 0.0 0.0
[ bondtypes ]
C3 C3 1 0.153 260000
C3 HC 1 0.109 280000
[ angletypes ]
HC C3 C3 1 109.5 400
C3 C3 HC 1 109.5 400
[ dihedraltypes ]
HC C3 C3 HC 9 0.0 0.65 3
[ moleculetype ]
MOL 3
[ atoms ]
1 HC 1 MOL H1 1 0.05
2 C3 1 MOL C1 1 -0.05
3 C3 1 MOL C2 1 -0.05
4 HC 1 MOL H2 1 0.05
[ bonds ]
1 2 1
2 3 1
3 4 1
[ pairs ]
1 4 1
[ angles ]
1 2 3 1
2 3 4 1
[ dihedrals ]
1 2 3 4 9
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1 -0.8476
2 HW 1 SOL HW1 1 0.4238
3 HW 1 SOL HW2 1 0.4238
[ settles ]
1 1 0.1 0.1633
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
chains and water
[ molecules ]
MOL 48
SOL 16
"""

CHAIN = [("H1", -0.113, 0.103, 0.0), ("C1", -0.077, 0.0, 0.0), ("C2", 0.077, 0.0, 0.0), ("H2", 0.113, -0.103, 0.0)]
WATER = [("OW", 0.0, 0.0, 0.0), ("HW1", 0.0816, 0.0577, 0.0), ("HW2", -0.0816, 0.0577, 0.0)]
EDGE = 3.0


def coordinates():
    """A .gro file: 48 chains, then 16 waters, on a 4 x 4 x 4 grid."""
    lines = []
    for site in range(64):
        centre = [EDGE / 4 * (n + 0.5) for n in (site // 16, site // 4 % 4, site % 4)]
        for name, *offset in CHAIN if site < 48 else WATER:
            x = [c + d for c, d in zip(centre, offset)]
            residue = "MOL" if site < 48 else "SOL"
            lines.append(
                "%5d%-5s%5s%5d%8.3f%8.3f%8.3f%8.4f%8.4f%8.4f" % (site + 1, residue, name, len(lines) + 1, *x, 0, 0, 0)
            )
    box = "%10.5f" * 3 % (EDGE, EDGE, EDGE)
    return "\n".join(["chains and water", f"{len(lines):5d}", *lines, box]) + "\n"


def good_input():
    return {"md.mdp": PARAMETERS, "conf.gro": coordinates(), "topol.top": TOPOLOGY}


@dataclasses.dataclass
class Case:
    """One malformed input: `change` applied to the text of `file` (None: the file is missing)."""

    name: str
    file: str
    change: Callable[[str], str | bytes] | None
    line: int | None = None  # the line that the message must name; 0: whichever differs first from the good file
    two_files: bool = False  # the fault lies between two files, and the message need not name this one
    says: str = ""  # a regular expression that the message must match, case ignored

    def files(self):
        """Name and content of each file of the input, as bytes; a missing one left out."""
        texts = good_input()
        good = texts.pop(self.file)
        if self.change is not None:
            texts[self.file] = self.change(good)
        return {name: text if isinstance(text, bytes) else text.encode() for name, text in texts.items()}

    def named_line(self):
        """The line that the message must name, or None."""
        if self.line != 0:
            return self.line
        good, bad = good_input()[self.file].splitlines(), self.change(good_input()[self.file]).splitlines()
        return next((k for k, (a, b) in enumerate(zip(good, bad), 1) if a != b), min(len(good), len(bad)) + 1)

    def complaint(self, message):
        """What is missing in the message, as text; empty if nothing."""
        where = re.escape(self.file) + (f":{self.named_line()}\\b" if self.named_line() else "")
        wanted = (self.says,) if self.two_files else (where, self.says)
        missing = [pattern for pattern in wanted if not re.search(pattern, message, re.IGNORECASE)]
        return f"does not say {' nor '.join(missing)}" if missing else ""


def swap(old, new):
    """Replaces the first occurrence of a text that must be there."""

    def change(text):
        if old not in text:
            raise ValueError(f"{old!r} is not in the good input")
        return text.replace(old, new, 1)

    return change


def line(number, new):
    """Replaces a line (from 1; from -1 backwards)."""

    def change(text):
        lines = text.splitlines()
        lines[number - 1 if number > 0 else number] = new
        return "\n".join(lines) + "\n"

    return change


def add(new):
    return lambda text: text + new


def cut(share):
    return lambda text: text[: int(len(text) * share)]


def whole(content):
    return lambda text: content


GARBAGE = bytes((i * 7919 + i // 251) % 256 for i in range(4096))
ATOM_5 = "    2MOL     H1    5   0.262   0.478   1.125  0.0000  0.0000  0.0000"

COORDINATES = [
    Case("missing file", "conf.gro", None),
    Case("empty file", "conf.gro", whole("")),
    Case("binary garbage", "conf.gro", whole(GARBAGE)),
    Case("cut in the middle of an atom", "conf.gro", cut(0.503)),
    Case("box missing", "conf.gro", lambda text: text[: text.rstrip().rindex("\n") + 1]),
    Case("count too large", "conf.gro", line(2, "  241")),
    Case("count too small", "conf.gro", line(2, "  239")),
    Case("count no number", "conf.gro", line(2, "many"), 0),
    Case("count negative", "conf.gro", line(2, "-240"), 0),
    Case("count absurd", "conf.gro", line(2, "99999999999999999999"), 0),
    Case("coordinate no number", "conf.gro", line(7, ATOM_5.replace("0.262", "0.2x2")), 0),
    Case("coordinate nan", "conf.gro", line(7, ATOM_5.replace("  0.478", "    nan")), 0),
    Case("velocity inf", "conf.gro", line(7, ATOM_5[:-6] + "   inf"), 0),
    Case("columns missing", "conf.gro", line(7, ATOM_5[:36]), 0),
    Case("two box numbers", "conf.gro", line(-1, "   3.00000   3.00000"), 0),
    Case("box zero", "conf.gro", line(-1, "   0.00000   0.00000   0.00000"), 0),
    Case("box negative", "conf.gro", line(-1, "   3.00000  -3.00000   3.00000"), 0),
    Case("box no number", "conf.gro", line(-1, "   3.00000   3.00000   large"), 0),
    Case("box rotated", "conf.gro", line(-1, " 3.0 3.0 3.0 0.5 0.0 0.0 0.0 0.0 0.0"), 0),
    Case("box too small", "conf.gro", line(-1, "   1.70000   3.00000   3.00000"), two_files=True, says="cut-?off"),
]

TOPOLOGIES = [
    Case("missing file", "topol.top", None),
    Case("empty file", "topol.top", whole("")),
    Case("binary garbage", "topol.top", whole(GARBAGE)),
    Case("missing include", "topol.top", line(1, '#include "nowhere.itp"'), 0, "nowhere.itp"),
    Case("includes itself", "topol.top", line(1, '#include "topol.top"'), says="include"),
    Case("#ifdef around all", "topol.top", line(1, "#ifdef FLEXIBLE"), says="molecules"),
    Case("#endif too many", "topol.top", line(1, "#endif"), 0, "#endif"),
    Case("unknown #command", "topol.top", line(1, "#pragma pack"), 0, "#pragma"),
    Case("unknown directive", "topol.top", swap("[ pairs ]", "[ pears ]"), 0, "pears"),
    Case("directive not closed", "topol.top", swap("[ pairs ]", "[ pairs "), 0),
    Case("no defaults", "topol.top", swap("[ defaults ]\n1 2 yes 0.5 0.8333\n", ""), says="defaults"),
    Case(
        "second defaults",
        "topol.top",
        swap("[ moleculetype ]\nSOL", "[ defaults ]\n1 2\n[ moleculetype ]\nSOL"),
        says="defaults",
    ),
    Case("combination rule 7", "topol.top", swap("1 2 yes", "1 7 yes"), 0),
    Case("Buckingham", "topol.top", swap("1 2 yes", "2 1 yes"), 0),
    Case(
        "half a billion molecules of two residues",
        "topol.top",
        lambda text: text.replace("3 C3 1 MOL", "3 C3 2 ALA").replace("MOL 48", "MOL 480000000"),
        two_files=True,
        says="240 atoms, but the topology has 1920000048",
    ),
    Case("no type for an atom", "topol.top", swap("1 HC 1 MOL", "1 HZ 1 MOL"), 0, "HZ"),
    Case("atoms not consecutive", "topol.top", swap("2 C3 1 MOL", "3 C3 1 MOL"), 0),
    Case("charge no number", "topol.top", swap("H1 1 0.05", "H1 1 0.O5"), 0),
    Case("charge nan", "topol.top", swap("H1 1 0.05", "H1 1 nan"), 0),
    Case("mass negative", "topol.top", swap("H1 1 0.05", "H1 1 0.05 -1.0"), 0, "mass"),
    Case("mass zero", "topol.top", swap("H1 1 0.05", "H1 1 0.05 0.0"), says="mass"),
    Case("virtual site", "topol.top", swap("0.0 A 0.26", "0.0 V 0.26"), says="virtual|ptype|particle"),
    Case("atom type too short", "topol.top", swap("HC 1 1.008 0.0 A 0.26 0.06", "HC 1 1.008"), 0),
    Case("bond to nowhere", "topol.top", swap("3 4 1\n", "3 5 1\n"), 0),
    Case("bond to atom 0", "topol.top", swap("3 4 1\n", "3 0 1\n"), 0),
    Case("bond to itself", "topol.top", swap("3 4 1\n", "3 3 1\n"), 0),
    Case("bond function 42", "topol.top", swap("3 4 1\n", "3 4 42\n"), 0, "42"),
    Case("bond parameter missing", "topol.top", swap("3 4 1\n", "3 4 1 0.109\n"), 0),
    Case("bond parameter no number", "topol.top", swap("3 4 1\n", "3 4 1 short 280000\n"), 0, "short"),
    Case("bond type missing", "topol.top", swap("C3 HC 1 0.109 280000\n", ""), says="bond"),
    Case("angle type missing", "topol.top", swap("HC C3 C3 1 109.5 400\nC3 C3 HC 1 109.5 400\n", ""), says="angle"),
    Case("dihedral type missing", "topol.top", swap("HC C3 C3 HC 9", "HC C3 C3 C3 9"), says="dihedral"),
    Case("settle without atoms", "topol.top", swap("1 1 0.1 0.1633", "2 1 0.1 0.1633"), 0, "settle"),
    Case("exclusion out of range", "topol.top", swap("3 1 2\n[ system", "3 1 9\n[ system"), 0),
    Case("duplicate molecule", "topol.top", swap("SOL 2\n", "MOL 2\n"), 0, "MOL"),
    Case(
        "bonds outside a molecule", "topol.top", swap("[ moleculetype ]\nMOL 3\n", ""), says="moleculetype|\\[ *atoms"
    ),
    Case("unknown molecule", "topol.top", swap("SOL 16", "HOH 16"), 0, "HOH"),
    Case("negative number of molecules", "topol.top", swap("SOL 16", "SOL -16"), 0),
    Case("number of molecules no number", "topol.top", swap("SOL 16", "SOL sixteen"), 0, "sixteen"),
    Case("absurd number of molecules", "topol.top", swap("SOL 16", "SOL 99999999999999"), 0),
    Case("no molecules", "topol.top", lambda text: text[: text.index("[ molecules ]")], says="molecules"),
    Case("fewer atoms than the coordinates", "topol.top", swap("SOL 16", "SOL 15"), two_files=True, says="conf.gro"),
]

PARAMETER_FILES = [
    Case("missing file", "md.mdp", None),
    Case("binary garbage", "md.mdp", whole(GARBAGE)),
    Case("unknown key", "md.mdp", swap("nstenergy", "nstenergies"), 0, "nstenergy"),
    Case("no equals sign", "md.mdp", swap("dt = 0.002", "dt 0.002"), 0),
    Case("key twice", "md.mdp", add("dt = 0.001\n"), says="dt"),
    Case("dt negative", "md.mdp", swap("dt = 0.002", "dt = -0.002"), 0, "dt"),
    Case("dt zero", "md.mdp", swap("dt = 0.002", "dt = 0"), 0, "dt"),
    Case("dt no number", "md.mdp", swap("dt = 0.002", "dt = 2fs"), 0, "2fs"),
    Case("dt nan", "md.mdp", swap("dt = 0.002", "dt = nan"), 0, "dt"),
    Case("nsteps overflow", "md.mdp", swap("nsteps = 2", "nsteps = 99999999999999999999"), 0, "nsteps"),
    Case("nsteps fraction", "md.mdp", swap("nsteps = 2", "nsteps = 2.5"), 0, "nsteps"),
    Case("nsteps below -1", "md.mdp", swap("nsteps = 2", "nsteps = -2"), 0, "nsteps"),
    Case("unknown integrator", "md.mdp", swap("= md", "= euler"), 0, "euler"),
    Case("unknown coulombtype", "md.mdp", swap("= reaction-field", "= telepathy"), 0, "telepathy"),
    Case("pme-order 20", "md.mdp", swap("= reaction-field", "= PME\npme-order = 20"), 6, "pme-order.*12"),
    Case("mesh-accuracy negative", "md.mdp", add("mesh-accuracy = -1e-4\n"), 0, "mesh-accuracy"),
    Case("PME without a spacing", "md.mdp", swap("= reaction-field", "= PME\nfourierspacing = 0"), 6, "fourier-nx"),
    Case("PPPM", "md.mdp", swap("= reaction-field", "= PPPM"), 0, "coulombtype = PME"),
    Case("slab geometry", "md.mdp", add("ewald-geometry = 3dc\n"), 0, "ewald-geometry"),
    Case("cutoff negative", "md.mdp", swap("rvdw = 0.9", "rvdw = -0.9"), 0, "rvdw"),
    Case(
        "cutoff too long for the box", "md.mdp", swap("rvdw = 0.9", "rvdw = 1.6"), two_files=True, says="rvdw|cut-?off"
    ),
    Case("unknown constraints", "md.mdp", swap("= h-bonds", "= everything"), 0, "everything"),
    Case("unknown group", "md.mdp", swap("= System", "= Lipids"), says="Lipids"),
    Case("atoms outside every group", "md.mdp", swap("= System", "= Water"), says="tc-?_?grps"),
    Case("temperatures and groups differ", "md.mdp", swap("ref-t = 300", "ref-t = 300 310"), says="ref-?_?t"),
    Case("temperature negative", "md.mdp", swap("ref-t = 300", "ref-t = -300"), says="ref-?_?t"),
    Case("free energy", "md.mdp", add("free-energy = yes\n"), 0, "free-?_?energy"),
    Case("frozen axes", "md.mdp", add("freezegrps = System\nfreezedim = Y Y\n"), says="freezedim"),
    Case("interval of velocities negative", "md.mdp", add("nstvout = -20\n"), says="nstvout"),
    Case("domains malformed", "md.mdp", add("domains = 2x\n"), 0, "domains"),
    Case("tolerance negative", "md.mdp", add("shake-tol = -1e-4\n"), 0, "shake"),
]

CASES = COORDINATES + TOPOLOGIES + PARAMETER_FILES
