#pragma once

#include <cstdint>

/// The arithmetic of SETTLE for many waters of a kind: one source, compiled once per instruction set, chosen when the
/// program starts. All variants do the same IEEE operations in the same order, so they give the same bits.
namespace holon::settle {

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
/// Lengths [nm], masses [u].
struct Triangle {
    double m_o, m_h;
    double d_oh2, d_hh2; // squared
    double w_h;          // m_h / total mass
    double ra, rb, rc;   // oxygen to centre of mass, centre of mass to H-H, half H-H
};

/// Positions and velocities are integers of the lattice, three for each atom.
struct Waters {
    std::int64_t n;
    const std::int32_t* atoms; // local, three for each water: oxygen, hydrogens
    bool in_a_row;             // those of every water have consecutive numbers, higher than those before
    Triangle triangle;
    const std::int64_t* x_ref; // position stage
    std::int64_t* x;           // changed in the position stage
    std::int64_t* v;           // changed
    double inverse_dt;         // position stage: velocity = displacement x this, if positive [1/ps]
    double* moved;             // null, or for each water what was added to both hydrogens: 6 numbers [nm, nm/ps]
};

struct Outcome {
    std::int64_t residual; // bits of the largest error left, see ConstraintResult
    std::int64_t failed;   // number of the first water for which there is no solution, left as it was; -1: none
};

#define HOLON_DECLARE(variant)                                                                                         \
    Outcome positions_##variant(const Waters&);                                                                        \
    Outcome velocities_##variant(const Waters&);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::settle
