#pragma once

#include "rigid_kernel.hpp"

#include <holon/constraints/rigid_shape.hpp>

#include <utility>
#include <vector>

namespace holon {

/// What the rigid bodies of one molecule type's cluster have in common: the shape along its principal axes, as the
/// kernel takes it.
class RigidTemplate {
public:
    /// Pre: the cluster has a shape, or distances that give it one.
    RigidTemplate(const MoleculeType& molecule, const ConstraintCluster& cluster);

    RigidTemplate(const RigidTemplate&) = delete; // the kernel's pointers are into it
    RigidTemplate& operator=(const RigidTemplate&) = delete;

    std::size_t n_atoms() const { return share_.size(); }
    const rigid::Template& kernel() const { return kernel_; }

    /// Pairs of atoms of the body that links bind to each other: each atom but one is the second of one pair, which
    /// comes before those of which it is the first.
    const std::vector<std::pair<std::size_t, std::size_t>>& chain() const { return chain_; }

private:
    void set_places(const MoleculeType& molecule, const ConstraintCluster& cluster);
    void set_links(const ConstraintCluster& cluster);

    std::vector<double> place_, moment_, share_, d2_, inverse_;
    std::vector<int> linked_;
    std::vector<std::pair<std::size_t, std::size_t>> chain_;
    rigid::Template kernel_{};
};

} // namespace holon
