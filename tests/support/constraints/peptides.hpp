#pragma once

#include <support/constraints/polymers.hpp>

#include <holon/constraints/torsion_units.hpp>

/// Peptides with random torsions, flat peptide groups and rings, of which all bonds and angles are rigid.
namespace holon::test {

/// Distances between all that are bound to the same atom, as from angles.
void make_angles_rigid(Polymer& polymer);

/// Every fifth residue has a ring.
Polymer peptide(int residues, unsigned seed);

MoleculeType constrained(MoleculeType type, const TorsionOnly& found);

/// `count` molecules of which only torsions are free.
ConstraintSystem torsion_only_system(const Polymer& polymer, int count = 1);

} // namespace holon::test
