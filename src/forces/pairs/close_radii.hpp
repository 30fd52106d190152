#pragma once

#include <holon/forces/pair_lists.hpp>

#include <vector>

/// How close atoms may come before a force is too large for the kernels. Radii, for one distance for all would be that
/// of the few atoms with the largest charges, or of the largest types.
namespace holon::pair {

/// Two charges that are further apart than the sum of their radii have a force within the kernels' limit, and are
/// beyond where the table of forces begins.
ChargeRadii charge_radii(const Topology& topology, const NonbondedConstants& constants);

/// Likewise of Lennard-Jones: per type [nm]. 0 of types that no atom has.
std::vector<float> type_radii(const Topology& topology, const NonbondedConstants& constants);

} // namespace holon::pair
