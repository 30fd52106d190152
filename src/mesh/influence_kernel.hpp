#pragma once

#include <holon/core/units.hpp>
#include <holon/core/wide_vector.hpp>

#include <cstdint>

/// What modes have of the energy and the virial: one source, compiled once per instruction set, chosen when the program
/// starts. What is summed are integers, so that all variants give the same bits.
namespace holon::influence {

/// Those of one x and y: the same bits on any rank.
struct WaveVectors {
    double kx, ky;           // [1/nm]
    double of_x, of_y, of_z; // k_z in turns, of these modes and per mode along z

    /// `z`: of one mode or of several.
    template <class F>
    HOLON_INLINE F kz(F z) const
    {
        return 2.0 * units::pi * (of_x + (of_y + of_z * z));
    }
};

/// What one mode or several have of the energy and -1/2 V P_ab; none of it is above `bound`.
template <class F>
struct Share {
    F energy, virial[6], bound; // xx, yx, yy, zx, zy, zz
};

template <class F>
HOLON_INLINE F size(F x)
{
    return select(x < F{}, -x, x);
}

/// `shape`: as Influence has it.
template <class F>
HOLON_INLINE Share<F> share_of(const WaveVectors& k, F z, F energy, F shape)
{
    const F along = -0.5 * energy, of_shape = along * shape, kz = k.kz(z);
    const double xx = k.kx * k.kx, yx = k.ky * k.kx, yy = k.ky * k.ky;
    const F zz = kz * kz;
    return {energy,
            {along + of_shape * xx, of_shape * yx, along + of_shape * yy, of_shape * (kz * k.kx),
             of_shape * (kz * k.ky), along + of_shape * zz},
            size(energy) + size(of_shape) * (xx + (yy + zz))};
}

/// The modes of one x and y, one after the other along z. Plain arrays only: nothing of the standard library may be
/// instantiated with another instruction set's code.
template <class Real>
struct Row {
    std::int64_t n;
    double first, edge;          // z of the first, and of that at the edge of the grid, which is its own opposite
    const Real* charges;         // real and imaginary part of each
    const Real *values, *shapes; // as Influence has them
    double scale;                // of the energies
    WaveVectors k;
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
