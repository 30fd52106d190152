#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace holon {

/// How far from a domain copies of atoms are needed [nm], for each pair list.
using HaloWidths = std::array<double, 2>;

/// For each atom of a molecule type: the atoms (of other ownership groups) that must be local wherever it is owned.
/// Computed once per molecule type; empty for rigid water.
struct MoleculeNeeds {
    std::vector<std::vector<std::int32_t>> needs; // per atom, ascending
    std::vector<bool> needed;                     // per atom: appears in somebody's needs

    /// Per atom: further ones, ascending, that must be local unless all of `needs` are owned by the same rank. What
    /// only those near a cut of the molecule need costs nothing elsewhere.
    std::vector<std::vector<std::int32_t>> beyond;

    /// Per atom: numbers that methods keep with it from step to step (Atoms::kept). Empty: none with any.
    std::vector<std::uint8_t> kept;

    /// Per atom: bit l set: it takes part in pair list l. Empty: all in all.
    std::vector<std::uint8_t> lists;
};

} // namespace holon
