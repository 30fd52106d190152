#pragma once

#include <cstdint>

/// The arithmetic of LINCS for the constraints of a rank: one source, compiled once per instruction set, chosen when
/// the program starts. All variants do the same IEEE operations in the same order, so they give the same bits.
namespace holon::lincs {

inline constexpr int lanes = 8;

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
/// A sparse matrix, eight rows at a time: the first entries of the eight rows of a block lie side by side, so do the
/// second ones, and so on. Entries that fill up a row are zero and in a column whose values are zero.
struct Matrix {
    std::int64_t n_blocks;
    const std::int64_t* begin;  // [n_blocks + 1]: the entries of a block are [begin, next begin) x 8
    const std::int32_t* column; // per entry
    const double* value;        // per entry
};

/// One place for each bond, filled up to whole blocks of eight with zeros, of which there is at least one. Vectors have
/// their x, y and z in three parts of n numbers.
struct Bonds {
    std::int64_t n;            // places
    std::int64_t n_inner;      // places, the first ones, of which the solution is needed; a multiple of eight
    const std::int32_t *i, *j; // numbers of the atoms; bonds point from i to j
    const double* length;      // [nm]
    const double* scale;       // S [u^1/2]
    const double* reference;   // [nm]
    const double* bond;        // trial bond [nm] or relative velocity [nm/ps], before any displacement
    const double *inverse_mass_i, *inverse_mass_j; // [1/u]
    double* direction;                             // B
    const double* rows;                            // the same, four numbers for each
    double* rhs;
    double* multiplier;   // summed over the iterations, along B [u nm, u nm/ps]
    double* displacement; // of atoms, four numbers for each [nm, nm/ps]
};

#define HOLON_DECLARE(variant)                                                                                         \
    /** direction = reference / |reference|; where that is zero, zero. */                                              \
    void set_directions_##variant(const Bonds&);                                                                       \
    /** entries = factors (values of the matrix) times the cosines of the bonds of row and column. */                  \
    void set_couplings_##variant(const Bonds&, const Matrix& factors, double* entries);                                \
    /** rhs = S (B.s - length) for positions, S B.s for velocities, with the displaced bond or velocity s. */          \
    void set_excess_##variant(const Bonds&, bool positions);                                                           \
    /** rhs = S (d - sqrt(2 d^2 - s^2)): what rotation has lengthened the projections by; 2 d^2 - s^2 at least 0. */   \
    void set_lengthening_##variant(const Bonds&);                                                                      \
    /** next = matrix term; solution += next. */                                                                       \
    void add_term_##variant(const Matrix&, const double* term, double* next, double* solution);                        \
    /** Of inner bonds: multipliers += S solution; displacements of the atoms += what these make of them. */           \
    void displace_##variant(const Bonds&, const double* solution);                                                     \
    /** Whether an inner bond, displaced, has turned by more than the angle with this square of its cosine, which is   \
       not obtuse, has a square that differs by more than this part from that of its length, or is not finite. */      \
    bool any_unusual_##variant(const Bonds&, double cosine2, double part);                                             \
    /** Whether all displaced velocities of inner bonds are finite. */                                                 \
    bool all_finite_##variant(const Bonds&);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::lincs
