#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace holon {

/// What forces are made of. Each term belongs to a group, and each group has its own array of forces, so that a scheme
/// can ask for some of them and not for others.
enum class ForceTerm : std::uint8_t { pair, bonded, mesh, count };

using GroupOfTerm = std::array<std::uint8_t, static_cast<std::size_t>(ForceTerm::count)>;
using ForceGroups = std::uint32_t; // bit g: group g
inline constexpr ForceGroups all_force_groups = ~ForceGroups{0};

} // namespace holon
