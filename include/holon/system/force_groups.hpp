#pragma once

#include <holon/core/index.hpp>
#include <holon/system/energies.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace holon {

/// What forces are made of. Each term belongs to a group, and each group has its own array of forces, so that a scheme
/// can ask for some of them and not for others.
enum class ForceTerm : std::uint8_t { pair, bonded, pair_14, angle, dihedral, mesh, count };

/// That of the bonded interactions which count as this energy.
constexpr ForceTerm force_term_of(EnergyTerm energy)
{
    switch (energy) {
    case EnergyTerm::angle:
    case EnergyTerm::urey_bradley:
        return ForceTerm::angle;
    case EnergyTerm::proper_dihedral:
    case EnergyTerm::improper_dihedral:
    case EnergyTerm::ryckaert_bellemans:
    case EnergyTerm::cmap:
        return ForceTerm::dihedral;
    case EnergyTerm::lj_14:
        return ForceTerm::pair_14;
    default:
        return ForceTerm::bonded;
    }
}

using GroupOfTerm = std::array<std::uint8_t, index(ForceTerm::count)>;
using ForceGroups = std::uint32_t; // bit g: group g
inline constexpr ForceGroups all_force_groups = ~ForceGroups{0};

} // namespace holon
