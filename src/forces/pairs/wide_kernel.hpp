#pragma once

#include "pair_kernel.hpp"

/// Forces of single pairs in double: of those that are too large for the pair kernel, and of all where it is not used.
/// One source, compiled once per instruction set, chosen when the program starts; all variants give the same bits.
namespace holon::pair {

/// So many pairs at a time. Plain arrays only, as in KernelData.
struct WideBlock {
    static constexpr int size = 64;
    int n = 0;                                       // of these filled
    alignas(64) double d[3][size] = {};              // [nm]
    double qq[size] = {};                            // Coulomb: product of charges, with the Coulomb factor
    double six_c6[size] = {}, twelve_c12[size] = {}; // Lennard-Jones
    std::int64_t force[3][size] = {};                // result: on the first atom, on the lattice of forces
    bool clamped = false;                            // result: some force is clamped at force_bound
};

#define HOLON_DECLARE(variant)                                                                                         \
    void wide_forces_##variant(Kind kind, Form form, const Constants<double>& constants, WideBlock& block);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::pair
