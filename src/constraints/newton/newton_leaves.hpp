#pragma once

#include "bonds/bond_vectors.hpp"
#include "newton.hpp"
#include "newton_planes.hpp"
#include "newton_ranks.hpp"
#include "newton_report.hpp"

#include <array>
#include <span>
#include <vector>

namespace holon::newton {

/// The numbers of the leaves here, of one stage; see Leaf.
struct LeafNumbers {
    // Per slot: an atom of a leaf.
    std::vector<IVec3> reference, trial;     // positions before and after the step; position, velocity
    std::vector<std::array<double, 4>> move; // [nm, nm/ps]
    std::vector<std::int32_t> target;        // the owned atom that moves with it, -1: none
    // Per place: of a constraint of a leaf.
    std::vector<double> r, s, rows; // three each; r again, four each
    std::vector<double> multiplier;
    // Of a constrained kick: velocities before it, per slot; relative ones, per place, three each.
    std::vector<IVec3> before;
    std::vector<double> v;
    // Per lane of a bundle, three each.
    std::vector<double> pull;
    PlaneNumbers planes;

    std::vector<double> present, along; // of the leaf in work
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

    /// `kick`: null for a projection.
    Leaves(LeafNumbers& numbers, BranchTable& table, Atoms& atoms, const Box& box, const ConstraintStage& stage,
           const ConstrainedKick* kick)
        : numbers_(numbers), table_(table), atoms_(atoms), lattice_(box), box_(rows_of(box)), stage_(stage),
          kick_(kick), inverse_dt_(inverse_step(stage))
    {
    }

    /// Reference and trial values of the leaves' atoms. Collective among partners.
    void gather(ConstraintResult& result);

    /// Bonds of a leaf.
    void start(const LocalBranch& leaf);

    struct Assembly {
        Jacobian jacobian;
        bool first; // nothing has moved yet
        bool renew; // the matrix, too
    };
    /// The rows of a leaf's own constraints: right side and matrix, with a spare value behind it.
    void assemble(const LocalBranch& leaf, const Assembly& how, std::span<double> values, std::span<double> rhs,
                  Report& report);

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

    Leaf arrays_of(const LocalBranch& leaf) const;
    LeafPlanes planes_of(const LocalBranch& leaf) { return {leaf.shape->planes, numbers_.planes, leaf.planes}; }
    void set_vectors(const LocalBranch& leaf, const std::vector<IVec3>& values, bool positions,
                     std::vector<double>& vectors) const;
    Vec3 move_of(std::size_t slot) const
    {
        const auto& row = numbers_.move[slot];
        return {row[0], row[1], row[2]};
    }
    bool is_kick_before_drift() const { return kick_ != nullptr && !kick_->ends_step; }
    void gather_before(ConstraintResult& result);
    void set_rates(const LocalBranch& leaf, std::span<double> rhs, Report& report) const;
    double residual_of(const Leaf& arrays) const;
    void apply(std::int32_t atom, const Vec3& move, const IVec3& rounded);

    LeafNumbers& numbers_;
    BranchTable& table_;
    Atoms& atoms_;
    const Box& lattice_;
    std::array<std::int64_t, 9> box_; // rows a, b, c
    const ConstraintStage& stage_;
    const ConstrainedKick* kick_;
    double inverse_dt_;
};

extern template class Leaves<false>;
extern template class Leaves<true>;

} // namespace holon::newton
