"""Systems in AMBER's and CHARMM's files, by ParmEd from GROMACS', and what tools/convert makes of them.

Run as a program, by the Python that has ParmEd: amber|charmm FOLDER makes system.* of FOLDER/{conf.gro,topol.top}.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PYTHON = "/usr/bin/python3"  # Debian's, which has python3-parmed
KINDS = {"amber": ["prmtop", "inpcrd"], "charmm": ["psf", "pdb", "rtf", "prm"]}


def have_parmed():
    try:
        return subprocess.run([PYTHON, "-c", "import parmed"], capture_output=True).returncode == 0
    except OSError:
        return False


def call(*words):
    done = subprocess.run([PYTHON, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}\n{done.stderr[-2000:]}")


def there_and_back(kind, folder):
    """folder/converted with topol.top and conf.gro, from AMBER's or CHARMM's files of the system in `folder`."""
    call(__file__, kind, folder)
    files = [folder / f"system.{ending}" for ending in KINDS[kind]]
    call(ROOT / "tools" / "convert", *files, "-o", folder / "converted")
    return folder / "converted"


def add_urey_bradley(system, path):
    """What write() of ParmEd leaves out of the lines of ANGLES: force constant and distance of the ends."""
    ends = {frozenset((u.atom1, u.atom2)): u.type for u in system.urey_bradleys if u.type.k > 0}
    types = {}
    for angle in system.angles:
        if kind := ends.get(frozenset((angle.atom1, angle.atom3))):
            names = (angle.atom1.type, angle.atom2.type, angle.atom3.type)
            types[names] = types[names[::-1]] = f" {kind.k:.6f} {kind.req:.6f}"
    head, angles = path.read_text().split("ANGLES\n")
    angles, blank, tail = angles.partition("\n\n")
    lines = [line + types.get(tuple(line.split()[:3]), "") for line in angles.split("\n")]
    path.write_text(head + "ANGLES\n" + "\n".join(lines) + blank + tail)


def write(kind, folder):
    import parmed

    system = parmed.load_file(str(folder / "topol.top"), xyz=str(folder / "conf.gro"))
    if kind == "charmm":
        parameters = parmed.charmm.CharmmParameterSet.from_structure(system)
        for name, of_type in parameters.atom_types.items():  # from_structure() leaves 1-4 pairs out
            if pair := system.parameterset.pair_types.get((name, name)):
                of_type.epsilon_14, of_type.rmin_14 = pair.epsilon, pair.rmin / 2
        parameters.write(top=str(folder / "system.rtf"), par=str(folder / "system.prm"))
        add_urey_bradley(system, folder / "system.prm")
    for ending in KINDS[kind][:2]:
        system.save(str(folder / f"system.{ending}"), overwrite=True)


if __name__ == "__main__":
    write(sys.argv[1], pathlib.Path(sys.argv[2]))
