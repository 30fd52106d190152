#pragma once

#include <cstdint>

/// The corrections of SHAKE, eight constraints at a time: one source, compiled once per instruction set, chosen when
/// the program starts. All variants do the same IEEE operations in the same order, so they give the same bits.
namespace holon::shake {

inline constexpr int lanes = 8;

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
/// A place for each constraint, and empty ones at the end, of which there is at least one. Vectors have their x, y and
/// z in three parts of n numbers.
struct Links {
    std::int64_t n;                                // places
    const std::int32_t *i, *j;                     // numbers of the atoms; constraints point from i to j
    const double* d2;                              // squared length [nm^2]
    const double *inverse_mass_i, *inverse_mass_j; // [1/u]
    const double* factor;                          // by which corrections are exaggerated
    const double* tolerance;                       // largest |error| that needs no correction
    const double* r;                               // directions: reference bonds, or present ones for velocities [nm]
    const double* rows;                            // the same, four numbers for each place
    const double* s; // what is to be corrected, before any displacement: trial bonds [nm], relative velocities [nm/ps]
    double* multiplier;   // summed; NaN: the constraint can not be met [u, u/ps]
    double* error;        // |error| before the last correction: (s^2 - d^2) / 2 [nm^2], or r.s [nm^2/ps]
    double* displacement; // of atoms, four for each number [nm, nm/ps]
};

struct Outcome {
    bool corrected = false; // any constraint
    bool failed = false;    // some multiplier has become NaN
};

#define HOLON_DECLARE(variant)                                                                                         \
    /** Corrects constraints [begin, end), no two of which share an atom, towards |s| = d. One fails where s.r is not  \
        above `least_cosine` d^2, or no number comes out. */                                                           \
    Outcome correct_lengths_##variant(const Links&, std::int64_t begin, std::int64_t end, double least_cosine);        \
    /** Likewise towards r.s = 0. */                                                                                   \
    Outcome correct_rates_##variant(const Links&, std::int64_t begin, std::int64_t end);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::shake
