#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/topology.hpp>

#include <functional>
#include <span>
#include <vector>

namespace holon {

/// Positions of the first molecule of each type that is `wanted`, on the root; none for other types. `records`: the
/// atoms of this rank. Collective.
std::vector<std::vector<IVec3>> first_molecules(const Communicator& comm, const Topology& topology,
                                                std::span<const AtomRecord> records,
                                                const std::function<bool(const MoleculeType&)>& wanted);

} // namespace holon
