#include "overlap.hpp"

#include <holon/core/random.hpp>

#include "pair_functions.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holon::pair {

std::string same_place_text(AtomId a, AtomId b)
{
    return fmt::format("atoms {} and {} are at the same place", std::min(a, b) + 1, std::max(a, b) + 1);
}

std::string clamped_text(AtomId a, AtomId b)
{
    return fmt::format("atoms {} and {} overlap: the force between them is beyond {:.2g} kJ/mol/nm", std::min(a, b) + 1,
                       std::max(a, b) + 1, force_bound * force_unit);
}

Vec3 way_apart(AtomId a, AtomId b)
{
    const auto low = static_cast<std::uint32_t>(std::min(a, b)), high = static_cast<std::uint32_t>(std::max(a, b));
    const auto random = Philox::encrypt({low, high, 0, 0}, {0, 0});
    Vec3 d;
    for (int k = 0; k < 3; ++k) d[k] = static_cast<double>(random[static_cast<std::size_t>(k)] | 1U) * 0x1p-31 - 1.0;
    return (a < b ? 1.0 : -1.0) * std::sqrt(least_distance2) * d;
}

} // namespace holon::pair
