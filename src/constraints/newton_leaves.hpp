#pragma once

#include "bond.hpp"
#include "newton.hpp"
#include "newton_ranks.hpp"
#include "newton_report.hpp"

#include <array>
#include <span>
#include <vector>

namespace holon::newton {

/// The numbers of the leaves here, of one stage.
struct LeafNumbers {
    // Per slot: an atom of a leaf.
    std::vector<std::array<IVec3, 2>> atom; // reference and trial position; position and velocity
    std::vector<Vec3> move;                 // [nm, nm/ps]
    std::vector<IVec3> rounded_move;        // to the lattice, at the end
    // Per link: a constraint of a leaf.
    std::vector<Vec3> r, s;         // reference bond, trial bond or relative velocity without moves
    std::vector<IVec3> trial;       // s of own links on the lattice
    std::vector<double> multiplier; // [u, u/ps]

    /// What multipliers of a bundle of links move their atom by [nm/u].
    typedef double Lanes __attribute__((vector_size(8 * EliminationTree::bundle_size)));
    struct Pull {
        Lanes x, y, z;
    };
    std::vector<Pull> pull; // per bundle of a leaf

    std::vector<Vec3> row;              // per end of an own link of a leaf: what its row of the matrix is made with
    std::vector<std::uint8_t> everyone; // per cluster: takes part in exchanges of atoms

    void resize(const BranchTable& table);
    void clear(); // of what the last stage found
};

/// What a stage, of positions or of velocities, does at the leaves of the tree, where constraints and atoms are: bonds
/// from the lattice, rows of the matrix, moves from multipliers.
template <bool velocities>
class Leaves {
public:
    using LocalBranch = BranchTable::LocalBranch;

    Leaves(LeafNumbers& numbers, BranchTable& table, Atoms& atoms, const Box& box, const ConstraintStage& stage)
        : numbers_(numbers), table_(table), atoms_(atoms), box_(box), stage_(stage), inverse_dt_(inverse_step(stage))
    {
    }

    /// Reference and trial values of the leaves' atoms. Collective among partners.
    void gather(ConstraintResult& result);

    /// Bonds of a leaf.
    void start(const LocalBranch& leaf);

    /// The rows of a leaf's own constraints: right side, and where `renew`, the matrix, with a spare value behind it.
    void assemble(const LocalBranch& leaf, Jacobian jacobian, bool renew, std::span<double> values,
                  std::span<double> rhs, Report& report);

    /// Multipliers and moves of a leaf, from the change of its multipliers.
    void update(const LocalBranch& leaf, std::span<const double> change);
    /// Where there is no solution: atoms stay where they are.
    void withdraw(const LocalBranch& leaf);

    /// Moves those of a leaf's atoms that are owned here; of a leaf that is solved, errors and virial of its own
    /// constraints.
    void finish(const LocalBranch& leaf, bool solved, ConstraintResult& result);

    /// Tells the owners of other atoms how far they move. Collective among partners.
    void scatter(ConstraintResult& result);

private:
    static constexpr double trial_unit = velocities ? velocity_unit : position_unit;

    void apply(std::int32_t atom, const Vec3& move, const IVec3& rounded);

    LeafNumbers& numbers_;
    BranchTable& table_;
    Atoms& atoms_;
    const Box& box_;
    const ConstraintStage& stage_;
    double inverse_dt_;
};

extern template class Leaves<false>;
extern template class Leaves<true>;

} // namespace holon::newton
