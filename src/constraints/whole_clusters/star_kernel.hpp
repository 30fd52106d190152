#pragma once

#include <cstdint>

/// The arithmetic of the star solver for many clusters of as many arms: one source, compiled once per instruction set,
/// chosen when the program starts. All variants do the same IEEE operations in the same order, and so does every lane
/// whatever the others hold: they give the same bits.
namespace holon::star {

inline constexpr int lanes = 8; // stars of a batch
inline constexpr int max_arms = 4;

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
/// Stars come in batches of eight, the numbers of the eight next to each other; the last batch is filled up with
/// repetitions of the last star. Positions and velocities are integers of the lattice, three for each atom.
struct Stars {
    std::int64_t n;             // stars
    int arms;                   // of each: constraints, 1 to max_arms
    const std::int32_t* atoms;  // per batch [arms + 1][8]: local; centre, ends of the arms
    const double* inverse_mass; // per batch [arms + 1][8], likewise [1/u]
    const double* d2;           // per batch [arms][8]: squared lengths [nm^2]
    const std::int64_t* x_ref;  // position stage
    std::int64_t* x;            // changed in the position stage
    std::int64_t* v;            // changed
    double inverse_dt;          // position stage: velocity = displacement x this, if positive [1/ps]
    double* multipliers;        // null, or for results, per batch [arms][8]: zero where there is none [u, u/ps]
};

struct Outcome {
    std::int64_t residual;   // bits of the largest error left, see ConstraintResult
    std::int64_t iterations; // most that any star took
    std::int64_t failed;     // number of the first star for which there is no solution, left as it was; -1: none
};

#define HOLON_DECLARE(variant)                                                                                         \
    Outcome positions_##variant(const Stars&);                                                                         \
    Outcome velocities_##variant(const Stars&);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::star
