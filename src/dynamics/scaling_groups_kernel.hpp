#pragma once

#include <cstdint>

/// Passes over the groups of atoms that move as wholes with the box: one source, compiled once per instruction set,
/// chosen when the program starts. All variants round alike, so they give the same bits. Plain arrays only: nothing of
/// the standard library may be instantiated with another instruction set's code. Positions, velocities and forces are
/// three lattice values for each atom, tensors nine numbers by rows.
namespace holon::scaling_groups {

inline constexpr int lanes = 8; // groups at a time

/// Up to eight groups of as many members, a group to each lane.
struct Batch {
    std::int32_t n_groups, n_members;
    std::int64_t first; // place of the first member of each among the members of all batches
};

/// Groups whose members are all here, in batches; sums over members are made in their order. Numbers are those of eight
/// lanes, one behind the other: in lanes without a group its atoms are those of the first, with no mass.
struct Groups {
    std::int64_t n_batches;
    const Batch* batches;
    const double* masses;      // of each batch [u]
    const std::int32_t* atoms; // of each member of each batch
    const double* weights;     // likewise: its share of the mass
};

/// The sum of many tensors, each of whose elements is rounded [2^-36 kJ/mol], but for those that have one of `bound` or
/// more, no more than 2^51: these are listed.
struct TensorSums {
    static constexpr std::int64_t most_batches = 32; // at once
    double bound;                                    // [2^-36 kJ/mol]
    std::int64_t sum[9];
    std::int64_t n_large;
    double large[9 * most_batches * lanes]; // [kJ/mol]
};

/// What a change of the box does.
struct Motion {
    double velocities[9];   // a velocity, as a row, is multiplied by this
    double inverse[9];      // of the box that changes [1/nm]
    std::int64_t box[9];    // its rows [2^-48 nm]
    std::int64_t change[9]; // of these
    double before;          // centres keep the fractional coordinates where they were so long ago [ps]
};

#define HOLON_DECLARE(variant)                                                                                         \
    /** Sets the sum of 1/2 M U (x) U: masses and velocities of the groups. */                                         \
    void kinetic_tensor_##variant(const Groups& groups, const std::int64_t* v, TensorSums& sums);                      \
    /** Sets the sum of 1/2 (x - R) (x) f of atoms: R the centre of their group, f the sum of n_forces arrays. */      \
    void internal_virial_##variant(const Groups& groups, const std::int64_t* x, const std::int64_t* const* forces,     \
                                   int n_forces, TensorSums& sums);                                                    \
    /** Moves all atoms of each group by what its centre and velocity are moved by. */                                 \
    void follow_##variant(const Groups& groups, const Motion& motion, std::int64_t* x, std::int64_t* v);               \
    /** What a centre [lattice] with this velocity [nm/ps] is moved by [lattice]. */                                   \
    void move_of_##variant(const std::int64_t* centre, const double* velocity, const Motion& motion,                   \
                           std::int64_t* by_x, std::int64_t* by_v);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::scaling_groups
