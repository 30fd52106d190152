#pragma once

#include <cstdint>

/// The arithmetic of the solver for rigid bodies, for many of one shape: one source, compiled once per instruction set,
/// chosen when the program starts. All variants do the same IEEE operations in the same order, and so does every lane
/// whatever the others hold: they give the same bits.
namespace holon::rigid {

inline constexpr int lanes = 8; // bodies of a batch

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
/// A body about its centre of mass, along its principal axes, the longest first.
struct Template {
    int n_atoms;
    int axes;              // that it extends along: 1 a line, 2 a plane, 3; numbers along others are zero
    const double* place;   // per atom three, b [nm]
    const double* moment;  // per atom three, m b [u nm]
    const double* share;   // per atom, of the mass
    double second[3];      // sum m b^2 along each axis [u nm^2]
    double radius2;        // the largest b^2 [nm^2]
    std::int64_t n_links;  // distances that are looked at when all is done
    const int* linked;     // per link two atoms
    const double* d2;      // per link [nm^2]
    const double* inverse; // per link 1 / d^2
};

/// What the rotation of a step follows from.
enum class Rotation : std::int8_t {
    of_impulses, // constraint forces act where the atoms are before the step
    dlm,         // turns about the principal axes, one after the other: 1 2 3 2 1
    no_squish    // 3 2 1 2 3
};

/// Bodies come in batches of eight; the last batch is filled up with repetitions of the last body. Positions and
/// velocities are integers of the lattice, three for each atom; those of a body are in one frame.
struct Bodies {
    std::int64_t n;            // bodies
    Template shape;            // of all
    Rotation rotation;         // position stage
    const std::int32_t* atoms; // per batch [n_atoms][8]: where their numbers are
    const std::int64_t* x_ref; // position stage
    std::int64_t* x;           // changed in the position stage
    std::int64_t* v;           // changed
    double inverse_dt;         // position stage: velocity = displacement x this, if positive [1/ps]
    double* work;              // room for [3][n_atoms][3][8]
    double* moments;           // null, or for results, per batch [axes][2][3][8]: along an axis, and sum m d b along it
};

struct Outcome {
    std::int64_t residual;   // bits of the largest error left, see ConstraintResult
    std::int64_t iterations; // most that any body took
    std::int64_t failed;     // number of the first body for which there is no solution, left as it was; -1: none
};

#define HOLON_DECLARE(variant)                                                                                         \
    Outcome positions_##variant(const Bodies&);                                                                        \
    Outcome velocities_##variant(const Bodies&);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::rigid
