#pragma once

#include <holon/constraints/torsion_minimiser.hpp>
#include <holon/constraints/torsion_tree.hpp>

#include <Eigen/Core>

namespace holon {

/// Small motions of a molecule about a minimum in its torsions.
struct TorsionModes {
    Eigen::VectorXd squares;  // angular frequencies squared, ascending; negative where the energy falls [1/ps^2]
    Eigen::MatrixXd torsions; // a column a mode: rates of the torsions, of unit kinetic energy u' M u [1/(u^1/2 nm)]
};

/// Normal modes of the torsions (T. Noguti, N. Go, J. Phys. Soc. Jpn. 52, 3283 and 3685 (1983)): K u = w^2 M u, with
/// the second derivatives K of the energy by the torsions, multipliers of loops included (TorsionTree::curvature)
/// [kJ/mol], and M the masses of motions with no momentum and no angular momentum. Loops stay closed: there is a mode
/// for each torsion that they leave. O(n^3).
///
/// The stiffness K may be that on the turns only that leave loops closed.
TorsionModes torsion_modes(const TorsionTree& tree, const Eigen::MatrixXd& second_derivatives);

/// K where the tree is, by central differences of the torques along the turns that leave loops closed: two energies for
/// each.
Eigen::MatrixXd stiffness_by_torsions(const TorsionTree& tree, const MoleculeEnergy& energy);

/// The same by those of the forces along the atoms' coordinates, H, as T'H T - sum f.d2x + l.d2(gap), with the motions
/// T of the atoms: six energies for each atom.
Eigen::MatrixXd stiffness_by_atoms(const TorsionTree& tree, const MoleculeEnergy& energy);

} // namespace holon
