#pragma once

#include <cstdint>

/// Elimination of the sparse pivots of a plan (newton_elimination.hpp): one source, compiled once per instruction set,
/// chosen when the program starts. All variants do the same IEEE operations in the same order, so they give the same
/// bits.
namespace holon::elimination {

/// Pivots one after another, each of which is coupled to n unknowns after it. In the values each has its diagonal, its
/// row of U and its column of L.
struct Run {
    std::int32_t n = 0, first = 0, n_pivots = 0;
    std::int64_t values = 0, others = 0, targets = 0; // where those of the first pivot begin
};

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
struct Plan {
    const Run* runs;
    std::int64_t n_runs;
    const std::int32_t* others;  // of each pivot: the n unknowns
    const std::int32_t* targets; // of each pivot: positions of the n x n elements that it changes, row by row
};

/// Of the inverse pivots, times a number for each.
struct Growth {
    double largest = 0.0;
    bool is_sound = true; // all above 0 and below a limit
};

#define HOLON_DECLARE(variant)                                                                                         \
    /** Replaces the matrix by its factors, the diagonal of a pivot by its inverse, and takes the pivots out of the    \
        right side. `scale`: per pivot. */                                                                             \
    Growth factor_##variant(const Plan&, double* values, double* rhs, const double* scale, double limit);              \
    /** Takes the pivots out of another right side. */                                                                 \
    void forward_##variant(const Plan&, const double* values, double* rhs);                                            \
    /** Turns the right side of the pivots into their solution. */                                                     \
    void backward_##variant(const Plan&, const double* values, double* rhs);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::elimination
