#pragma once

#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <span>

namespace holon {

/// Marks the atoms of groups that are frozen along all axes (TopologyAtom::frozen): molecules that differ by what of
/// them is frozen get types of their own. Constraints between two such atoms are left out. Throws InputError for a
/// rigid water of which only a part is frozen, and for an atom of constraints that is frozen along some axes only; in a
/// box that changes also for a constraint between a frozen atom and one that is not, which would not follow the box
/// alike.
void freeze_atoms(Topology& topology, std::span<const FrozenGroup> groups, bool box_changes);

} // namespace holon
