#pragma once

#include <cstdint>

/// Random numbers of many atoms: one source, compiled once per instruction set, chosen when the program starts, with
/// the bits of Philox and normal_pair(). Plain arrays only, as in all kernels.
namespace holon::random_numbers {

/// What the counters of draws have in common, as Philox has it.
struct Draws {
    std::uint64_t seed, step;
    std::uint32_t stream; // and of a second draw the next one
};

#define HOLON_DECLARE(variant)                                                                                         \
    /** Three deviates for each of n ids: both of normal_pair() of the first draw, the first one of the second. */     \
    void normal_vectors_##variant(std::int64_t n, const std::int32_t* id, const Draws& draws, double* deviate);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::random_numbers
