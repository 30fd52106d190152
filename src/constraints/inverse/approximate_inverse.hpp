#pragma once

#include "lincs/lincs_shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace holon {

/// What the corrections of single constraints are combined with into multipliers.
enum class InverseKind {
    diagonal,   ///< nothing: each is its multiplier
    equilibrium ///< the inverse matrix of the molecule at its ideal angles, small elements left out
};

/// An approximation to the inverse of the constraint matrix, which is multiplied instead of solved with: one for all
/// steps, from the topology alone.
///
/// With A_kl = C_kl s_k.r_l and its diagonal D, the corrections of single constraints are d = g / D, and the
/// multipliers that put all right are K^-1 d, K = D^-1 A. P. Eastman and V. S. Pande take K at the ideal angles, once
/// and for all, K_kl = mu_k C_kl cos(k, l) d_l / d_k, with 0 where an angle is not known, and leave out elements of its
/// inverse below 0.02: J. Chem. Theory Comput. 6, 434 (2010).
class ApproximateInverse {
public:
    ApproximateInverse(InverseKind kind, const KnownAngles& angles, const MoleculeType& molecule,
                       const ConstraintCluster& cluster);

    struct Element {
        std::int32_t constraint = 0;
        double factor = 0.0;
    };
    /// In ascending order of the constraints.
    std::span<const Element> row(std::int32_t constraint) const;

    /// Couplings from a constraint to the furthest in its row.
    int reach() const { return reach_; }

    /// By what each iteration multiplies the error, with angles that are not known as those of free joints.
    double rate() const { return rate_; }
    /// Molecule-local: those of the constraints that the slowest mode moves most.
    const std::vector<std::int32_t>& slowest() const { return slowest_; }

private:
    std::vector<Element> elements_;
    std::vector<std::size_t> begin_;
    int reach_ = 0;
    double rate_ = 0.0;
    std::vector<std::int32_t> slowest_;
};

} // namespace holon
