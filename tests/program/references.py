"""Energies and forces of single points against GROMACS' in double precision.

Shared by references_test.py and tools/acceptance.
"""

import json

import h5py
import numpy

import holon_runner as holon
import trajectories

# GROMACS' name of a term -> Holon's. Terms of one name are added.
TERMS = {
    "Bond": "bond",
    "Angle": "angle",
    "U-B": "urey-bradley",
    "Proper Dih.": "proper-dihedral",
    "Ryckaert-Bell.": "ryckaert-bellemans",
    "Per. Imp. Dih.": "improper-dihedral",
    "Improper Dih.": "improper-dihedral",
    "CMAP Dih.": "cmap",
    "LJ-14": "lj-14",
    "Coulomb-14": "coulomb-14",
    "LJ (SR)": "lj",
    "Disper. corr.": "lj-correction",
    "Coulomb (SR)": "coulomb-short",
    "Potential": "potential",
}

SINGLE_POINT = {
    "nsteps": 0,
    "nstfout": 1,
    "nstxout": 0,
    "nstxout_compressed": 0,
    "continuation": "yes",
    "integrator": "md-vv",
    "tcoupl": "no",
}
REACTION_FIELD = {"coulombtype": "reaction-field", "epsilon_rf": 78}

# Relative error allowed: energy terms, rms of the forces.
LIMITS = {"double": (1e-6, 1e-6), "mixed": (1e-5, 2e-5)}


def read_reference(path):
    """Energies [kJ/mol] by Holon's names and forces [kJ/mol/nm] of a reference file."""
    with h5py.File(path) as file:
        return rename(json.loads(file.attrs["energies_kJ_per_mol"])), file["forces"][()]


def rename(gromacs):
    """GROMACS' terms by Holon's names."""
    energies = {}
    for name, value in gromacs.items():
        if name in TERMS:
            energies[TERMS[name]] = energies.get(TERMS[name], 0.0) + value
    return energies


def single_point(folder, arguments, ranks=2, **settings):
    """Energies [kJ/mol] and forces [kJ/mol/nm] of an input as it is."""
    result = holon.run(folder, arguments, ranks, **{**SINGLE_POINT, **settings})
    return result.summary["initial"]["energies_kJ_per_mol"], trajectories.forces(folder / "trajectory.h5")


def errors(found, expected):
    """Relative error of each term of the reference, and of the forces (rms): {"bond": 1e-9, ..., "forces": 2e-8}."""
    (energies, forces), (reference_energies, reference_forces) = found, expected
    relative = {
        term: abs(energies.get(term, 0.0) - value) / abs(value) for term, value in reference_energies.items() if value
    }
    difference = numpy.linalg.norm(forces - reference_forces) / numpy.linalg.norm(reference_forces)
    return relative | {"forces": float(difference)}


def worst(relative):
    """The energy term with the largest error and that error."""
    return max(((value, term) for term, value in relative.items() if term != "forces"))
