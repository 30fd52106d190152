"""The peptide of inputs/peptide without its water, for what takes one molecule."""

import csv
import re

from support import bad_input
from support import holon_runner as holon

PARAMETERS = "coulombtype = cut-off\nrcoulomb = 2.8\nrvdw = 2.8\nepsilon-r = 4\n"


def write(folder):
    """Writes the files there; returns the options that name them."""
    peptide = holon.INPUTS / "peptide"
    topology = re.sub(r"(\[ molecules \]\n\S+ 1\n).*", r"\1", (peptide / "topol.top").read_text(), flags=re.DOTALL)
    lines = (peptide / "conf.gro").read_text().splitlines()[2:-1]
    atoms = [line for line in lines if line[5:10].strip() not in ("SOL", "CL")]
    coordinates = "\n".join(["Peptide", str(len(atoms)), *atoms, "6.0 6.0 6.0"]) + "\n"
    return bad_input.write_input(folder, {"md.mdp": PARAMETERS, "conf.gro": coordinates, "topol.top": topology})


def wavenumbers(folder, arguments, *options):
    """Of all modes in torsions at the minimum [1/cm]."""
    path = folder / "modes.csv"
    result = holon.call("holon-torsions", ["modes", *arguments, *options, "--csv", path])
    if result.status != holon.FINISHED:
        raise holon.RunError(result.stderr)
    with open(path, newline="") as file:
        return [float(row["wavenumber_per_cm"]) for row in csv.DictReader(file)]
