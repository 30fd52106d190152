#pragma once

#include <support/constraints/molecule_constraints.hpp>
#include <support/constraints/peptides.hpp>

#include <holon/constraints/torsion_tree.hpp>

#include <Eigen/SparseCholesky>

#include <vector>

/// Molecules of which only torsions are free, as trees and by their constraints in Cartesian coordinates.
namespace holon::test {

/// A molecule with its constraints and its tree.
struct Molecule {
    MoleculeType type;
    TorsionTree tree;
    std::vector<Vec3> x;

    Molecule(const MoleculeType& given, const std::vector<Vec3>& positions, const TorsionOnly& found);
};

Molecule with_torsions_only(const Polymer& polymer);

std::vector<Vec3> random_vectors(std::size_t n, unsigned seed);

Eigen::VectorXd numbers(const std::vector<Vec3>& vectors);

/// b less what constraints take along their gradients: M^-1 (f - G' l), G of that = -wanted.
class Cartesian {
public:
    explicit Cartesian(const Molecule& molecule);
    Eigen::VectorXd constrained(const Eigen::VectorXd& force, const Eigen::VectorXd& wanted) const;
    Eigen::VectorXd velocities(const Eigen::VectorXd& momenta) const;
    Eigen::VectorXd accelerations(const Eigen::VectorXd& v, const Eigen::VectorXd& force) const;
    double ln_det() const;

private:
    MoleculeConstraints constraints_;
    Eigen::VectorXd x_;
    Eigen::SparseMatrix<double> rows_, moves_;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver_;
};

void expect_same_motion(const Molecule& molecule);

/// Carbons and hydrogens in two rings that share a bridge and turn; two loops of units.
Polymer two_rings(unsigned seed);

} // namespace holon::test
