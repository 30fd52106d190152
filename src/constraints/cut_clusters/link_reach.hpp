#pragma once

#include <holon/core/index.hpp>
#include <holon/system/clusters.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace holon {

/// Which constraints of a cluster have a say in where some of its atoms are at the end of a round of Gauss-Seidel
/// corrections: a few colours, one after the other. A correction depends on what earlier colours of the round did to
/// the two atoms, and on no more: paths along the bonds on which colours descend. A rank that makes all these
/// corrections needs to hear of others once per round, not after each colour.
class LinkReach {
public:
    /// Colours of a round. The paths, and with them the copies of atoms, grow with each: no more than chains and
    /// proteins have.
    static constexpr std::size_t colours_together = 4;

    explicit LinkReach(const ConstraintCluster& cluster);

    /// For atoms by their index in the cluster: constraints, ascending.
    std::vector<std::int32_t> operator()(std::span<const std::int32_t> atoms) const;

    /// Indices in the cluster of a constraint's atoms.
    const std::array<std::int32_t, 2>& atoms_of(std::int32_t constraint) const { return ends_[index(constraint)]; }
    /// Constraints at an atom of the cluster, ascending.
    const std::vector<std::int32_t>& constraints_at(std::int32_t atom) const { return at_[index(atom)]; }
    std::int32_t colour(std::int32_t constraint) const { return colour_[index(constraint)]; }
    std::size_t round(std::int32_t constraint) const { return index(colour(constraint)) / colours_together; }

private:
    std::vector<std::array<std::int32_t, 2>> ends_; // per constraint
    std::vector<std::int32_t> colour_;              // per constraint
    std::vector<std::vector<std::int32_t>> at_;     // per atom of the cluster
};

} // namespace holon
