"""Energies and forces of single points against GROMACS' in double precision.

Shared by references_test.py and tools/acceptance.
"""

import json

import h5py
import numpy

from support import holon_runner as holon
from support import systems
from support import trajectories

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
    "Coul. recip.": "coulomb-long",
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


# With a mesh both programs have the error of smooth PME, but not the same polynomials for it.
MESH_LIMITS = {"double": (1e-5, 1e-4), "mixed": (1e-5, 1e-4)}

# How a mesh of spme is made to have no error that counts: that of systems/*/converged-ewald.h5.
CONVERGED = {"mesh": "spme", "fourierspacing": 0.05, "pme_order": 12, "ewald_rtol": 1e-10, "precision": "double"}

FORCE_FIGURES = {"forces", "forces, all", "tied atoms"}


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
    return result.summary["initial"]["energies_kJ_per_mol"], trajectories.forces(folder / "trajectory.h5md")


def errors(found, expected, conf, cutoff=0.9):
    """Relative error of each term of the reference and of the forces (rms): {"bond": 1e-9, ..., "forces": 2e-8}.

    Coordinates are decimal numbers, so a few pairs lie at the cutoff to the last digit, where the potential is zero but
    the force is not. Rounding decides whether such a pair counts, in both programs: "forces" leaves out the atoms that
    differ for this reason alone, "tied atoms" of them; "forces, all" has all atoms.
    """
    (energies, forces), (reference_energies, reference_forces) = found, expected
    energies, reference_energies = coulomb_summed(energies), coulomb_summed(reference_energies)
    relative = {
        term: abs(energies.get(term, 0.0) - value) / abs(value) for term, value in reference_energies.items() if value
    }
    squares = ((forces - reference_forces) ** 2).sum(axis=1)
    scale = (reference_forces**2).sum()
    tied = tied_atoms(conf, cutoff, numpy.flatnonzero(squares > 1e-10 * scale / len(forces)))
    kept = numpy.delete(squares, tied)
    relative |= {"forces": float((kept.sum() / scale) ** 0.5), "forces, all": float((squares.sum() / scale) ** 0.5)}
    return relative | {"tied atoms": len(tied)}


def coulomb_summed(energies):
    """The energies with what a mesh and the pairs share in one term: how they share it is a matter of convention."""
    if "coulomb-long" not in energies:
        return energies
    parts = ("coulomb-short", "coulomb-long")
    rest = {term: value for term, value in energies.items() if term not in parts}
    return rest | {"coulomb-short + coulomb-long": sum(energies[term] for term in parts)}


def relative_rms(forces, expected):
    """Root of the mean square of the force errors over that of the forces."""
    return float((((forces - expected) ** 2).sum() / (expected**2).sum()) ** 0.5)


def tied_atoms(conf, cutoff, candidates):
    """Those of the candidates that have another one exactly at the cutoff, by the decimals of the file."""
    unit = 10**6  # per nm: exact for positions of up to six decimals
    _, _, positions, _, box = systems.read_gro(conf)
    x = numpy.rint(positions[candidates] * unit).astype(numpy.int64)
    rows = numpy.rint(box * unit).astype(numpy.int64)
    tied = []
    for k, atom in enumerate(candidates):
        d = x - x[k]
        for axis in (2, 1, 0):
            d -= numpy.rint(d[:, axis] / rows[axis, axis]).astype(numpy.int64)[:, None] * rows[axis]
        if ((d**2).sum(axis=1) == round(cutoff * unit) ** 2).any():
            tied.append(atom)
    return tied


def worst(relative):
    """The energy term with the largest error and that error."""
    return max((value, term) for term, value in relative.items() if term not in FORCE_FIGURES)
