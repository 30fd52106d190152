#pragma once

#include <cstdint>

/// What modes have of the energy and the virial: one source, compiled once per instruction set, chosen when the program
/// starts. What is summed are integers, so that all variants give the same bits.
namespace holon::influence {

/// The modes of one x and y, one after the other along z. Plain arrays only: nothing of the standard library may be
/// instantiated with another instruction set's code.
template <class Real>
struct Row {
    std::int64_t n;
    double first, edge;          // z of the first, and of that at the edge of the grid, which is its own opposite
    const Real* charges;         // real and imaginary part of each
    const Real *values, *shapes; // as Influence has them
    double scale;                // of the energies
    double kx, ky;               // wave vector [1/nm]
    double of_x, of_y, of_z;     // k_z in turns, see Influence::Row
};

/// Energies and -1/2 V P_ab, each mode's rounded [2^-36 kJ/mol].
struct Sums {
    std::int64_t energy, virial[6]; // xx, yx, yy, zx, zy, zz
    double bound;                   // none of them can come to more; above 2^50, or NaN, they do not count
};

#define HOLON_DECLARE(variant)                                                                                         \
    void sums_##variant(const Row<float>& row, Sums& sums);                                                            \
    void sums_##variant(const Row<double>& row, Sums& sums);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::influence
