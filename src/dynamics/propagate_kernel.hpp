#pragma once

#include <cstdint>

/// Kicks and drifts of many atoms: one source, compiled once per instruction set, chosen when the program starts. All
/// variants round alike, so they give the same bits. Plain arrays only: nothing of the standard library may be
/// instantiated with another instruction set's code. Lattice values are three numbers for each atom.
namespace holon::propagate {

#define HOLON_DECLARE(variant)                                                                                         \
    /** v += f x inverse_mass x scale for n atoms, each product rounded as by round_to_int_clamped. */                 \
    void kick_##variant(std::int64_t n, const std::int64_t* f, const double* inverse_mass, double scale,               \
                        std::int64_t* v);                                                                              \
    /** x = start + v x scale, likewise; x may be `start`. */                                                          \
    void drift_##variant(std::int64_t n, const std::int64_t* start, const std::int64_t* v, double scale,               \
                         std::int64_t* x);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::propagate
