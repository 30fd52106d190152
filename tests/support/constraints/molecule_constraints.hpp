#pragma once

#include <holon/core/index.hpp>
#include <holon/system/topology.hpp>

#include <Eigen/SparseCore>

/// All constraints of one molecule, distances and planes, as functions of the coordinates of its atoms.
namespace holon::test {

class MoleculeConstraints {
public:
    explicit MoleculeConstraints(const MoleculeType& type) : type_(type) {}

    Eigen::Index size() const { return std::ssize(type_.constraints) + std::ssize(type_.planes); }

    /// (r^2 - d^2) / 2 of distances, e1.(e2 x e3) / sqrt(area) of planes.
    Eigen::VectorXd values(const Eigen::VectorXd& x) const;

    Eigen::SparseMatrix<double> gradients(const Eigen::VectorXd& x) const;

    /// Second derivatives with time but for those of the positions: dG/dt v.
    Eigen::VectorXd bending(const Eigen::VectorXd& x, const Eigen::VectorXd& v) const;

    /// Of each coordinate.
    Eigen::VectorXd inverse_masses() const;

private:
    const MoleculeType& type_;
};

} // namespace holon::test
