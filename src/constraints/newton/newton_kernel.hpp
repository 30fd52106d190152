#pragma once

#include <cstdint>

/// What a stage of Newton's method does at a leaf of the tree: one source, compiled once per instruction set, chosen
/// when the program starts. All variants do the same IEEE operations in the same order, so they give the same bits.
namespace holon::newton {

inline constexpr int lanes = 8, bundle_size = 4;

/// What an own link has in common with the others of a bundle at one of its ends: elements of its row.
struct Coupling {
    std::int32_t link, bundle;
    std::int32_t positions[bundle_size]; // in the values
};

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
/// Links have a place each, own ones first, and empty places fill up the last block of eight; right side and solution
/// have the same places. Vectors have their x, y
/// and z in three parts of n numbers. A bundle is up to four links at an atom side by side, filled up with some that
/// move nothing.
struct Leaf {
    std::int64_t n, n_links, n_own; // places, links, own links
    // Per place:
    const std::int32_t *i, *j;                     // atoms; links point from i to j
    const std::int32_t* diagonal;                  // of own links: position in the values; or spare
    const double *d2, *per_d2;                     // squared length and its inverse, the latter of own links [nm^2]
    const double *inverse_mass_i, *inverse_mass_j; // [1/u]
    const double *r, *s;                           // bonds to move along; trial bonds or relative velocities
    const double* rows;                            // r, four numbers for each
    double *present, *along;                       // of own links: s with moves; present.r
    double* multiplier;                            // summed [u, u/ps]
    double* move; // four numbers per atom, summed [nm, nm/ps]; null: nothing has moved yet

    std::int64_t n_bundles;
    // Per lane of a bundle:
    const std::int32_t* links;
    const double* signs; // with which a multiplier moves the atom, times its inverse mass
    double* pull;        // x of all lanes of a bundle, then y, then z: what a multiplier moves the atom by [nm/u]

    std::int64_t n_couplings, n_at_first; // those at the first atoms of their links come first
    const Coupling* couplings;
};

/// What is to vanish for each link, g, in units that give all of them the same matrix.
enum class Condition {
    length, ///< |s| (|s| - d): only what s changes across itself is left by an iteration
    square, ///< (s^2 - d^2) / 2
    rate    ///< r.s, of relative velocities s
};

struct Errors {
    double largest = 0.0;   // |g| / d^2, times `scale`
    std::int64_t worst = 0; // first link with that error
    std::int64_t lost = -1; // first link that has turned too far, or is not finite
};

#define HOLON_DECLARE(variant)                                                                                         \
    void set_pulls_##variant(const Leaf&);                                                                             \
    /** Right side, g, for each own link; 0 for the others. Lost is one with s.r not above `least_cosine` d^2; of      \
       rates, where g is not finite. */                                                                                \
    Errors set_right_side_##variant(const Leaf&, Condition, double scale, double least_cosine, double* rhs);           \
    /** Rows of own links, made with r or the present bonds; after set_right_side(). */                                \
    void set_rows_##variant(const Leaf&, bool with_reference, double* values);                                         \
    /** Adds to the multipliers, and moves the atoms. */                                                               \
    void update_##variant(const Leaf&, const double* change);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::newton
