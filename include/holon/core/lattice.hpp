#pragma once

#include <holon/core/lattice_units.hpp>
#include <holon/core/vec3.hpp>

#include <cmath>
#include <cstdint>

/// The integer representations of the state. Whatever is summed or compared across atoms, pairs or ranks is an integer,
/// so that neither order nor decomposition can change a bit.
namespace holon {

/// The force of each pair, and each component of one of a bonded term, is clamped at this [2^-28 kJ/mol/nm]: 3.4e7
/// kJ/mol/nm, which only overlapping atoms reach. A thousand of them on one atom do not overflow.
inline constexpr double force_bound = 0x1p53;

/// Nearest integer, ties to even: odd-symmetric, so that time can be reversed. |x| < 2^62 is the caller's business.
inline std::int64_t round_to_int(double x)
{
    return std::llrint(x);
}

/// As round_to_int, saturating at 2^58 units, where there is nothing sensible to be had any more. Each number is
/// clamped by itself, so that sums still do not depend on any order. NaN becomes the upper bound.
inline std::int64_t round_to_int_clamped(double x)
{
    constexpr double bound = 0x1p58;
    return x < bound ? (x > -bound ? std::llrint(x) : -(std::int64_t{1} << 58)) : (std::int64_t{1} << 58);
}

inline IVec3 to_lattice(const Vec3& x, double unit)
{
    return {round_to_int(x[0] / unit), round_to_int(x[1] / unit), round_to_int(x[2] / unit)};
}

inline Vec3 to_real(const IVec3& x, double unit)
{
    return {static_cast<double>(x[0]) * unit, static_cast<double>(x[1]) * unit, static_cast<double>(x[2]) * unit};
}

/// The image counts of an atom: how many box vectors were taken off its position.
using Image = Eigen::Matrix<std::int32_t, 3, 1>;

} // namespace holon
