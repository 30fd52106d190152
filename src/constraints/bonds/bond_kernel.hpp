#pragma once

#include <cstdint>

/// Bonds from the lattice, errors of them, and moves onto the lattice: one source, compiled once per instruction set,
/// chosen when the program starts. All variants do the same IEEE operations in the same order, so they give the same
/// bits.
namespace holon::bonds {

inline constexpr int lanes = 8;

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
/// Differences of lattice values, one for each place.
struct Differences {
    std::int64_t n;                // places, whole blocks of eight
    const std::int64_t* values;    // three for each atom
    const std::int32_t *from, *to; // atoms; the same one in empty places
    const std::int64_t* box;       // null, or rows a, b, c: the nearest image, as Box::minimum_image finds it
    double unit;
};

/// Moves of atoms [nm, nm/ps], to be rounded to the lattice once. What is as long as `too_far`, or not finite, is left
/// out: a solver has failed, perhaps elsewhere.
struct Moves {
    static constexpr double too_far = 1000.0;
    std::int64_t n;
    const double* moves;
    int size;                  // numbers from one to the next: three or four
    double per_unit;           // 1 / unit of the lattice
    const std::int32_t* atoms; // whose values and velocities change; -1: none
    std::int64_t* values;      // three for each atom
    std::int64_t* velocities;  // null, or those that change by move x inverse_dt
    double inverse_dt;
    std::int64_t* here; // further values that change, three for each move
};

#define HOLON_DECLARE(variant)                                                                                         \
    /** vectors = to - from: x, y and z in three parts of n numbers. */                                                \
    void set_vectors_##variant(const Differences&, double* vectors);                                                   \
    /** The same vectors, four numbers in a row for each, the last one zero. */                                        \
    void set_rows_##variant(std::int64_t n, const double* vectors, double* rows);                                      \
    void apply_##variant(const Moves&);                                                                                \
    /** Largest |a.b - wanted| x weight of n places; `wanted` may be null: 0. */                                       \
    double largest_error_##variant(std::int64_t n, const double* a, const double* b, const double* wanted,             \
                                   const double* weight);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::bonds
