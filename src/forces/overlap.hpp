#pragma once

#include <holon/core/random.hpp>
#include <holon/core/vec3.hpp>

#include "pair_functions.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace holon {

/// About atoms that are too close to each other.
inline std::string overlap_text(AtomId a, AtomId b, const std::string& what)
{
    return fmt::format("atoms {} and {} {}", std::min(a, b) + 1, std::max(a, b) + 1, what);
}

inline std::string clamped_text(AtomId a, AtomId b)
{
    return overlap_text(
        a, b, fmt::format("overlap: the force between them is beyond {:.2g} kJ/mol/nm", force_bound * force_unit));
}

/// From b to a, which are at the same place: any way will do that is the same wherever the two are computed [nm].
inline Vec3 way_apart(AtomId a, AtomId b)
{
    const auto low = static_cast<std::uint32_t>(std::min(a, b)), high = static_cast<std::uint32_t>(std::max(a, b));
    const auto random = Philox::encrypt({low, high, 0, 0}, {0, 0});
    Vec3 d;
    for (int k = 0; k < 3; ++k) d[k] = static_cast<double>(random[static_cast<std::size_t>(k)] | 1U) * 0x1p-31 - 1.0;
    return (a < b ? 1.0 : -1.0) * std::sqrt(pair::least_distance2) * d;
}

} // namespace holon
