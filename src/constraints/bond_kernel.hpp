#pragma once

#include <cstdint>

/// Bonds from the lattice, and errors of them: one source, compiled once per instruction set, chosen when the program
/// starts. All variants do the same IEEE operations in the same order, so they give the same bits.
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

#define HOLON_DECLARE(variant)                                                                                         \
    /** vectors = to - from: x, y and z in three parts of n numbers. */                                                \
    void set_vectors_##variant(const Differences&, double* vectors);                                                   \
    /** Largest |a.b - wanted| x weight of n places; `wanted` may be null: 0. */                                       \
    double largest_error_##variant(std::int64_t n, const double* a, const double* b, const double* wanted,             \
                                   const double* weight);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::bonds
