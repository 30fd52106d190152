#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/core/log.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <span>
#include <string>

namespace holon {

/// With constraint-algorithm = rigid, dlm, no-squish, qshake or unit-newton, finds the rigid bodies of each molecule
/// type, see holon/constraints/rigid_shape.hpp, and adds them to the topology: the groups of rigid-groups, as they are
/// in the first molecule of their type, clusters whose constraints fix their shape, and where bodies may be linked
/// parts of others that do. `records`: the atoms of this rank. Returns the bodies as text, a line `molecule-type
/// degrees-of-freedom n`, n atoms and n places x y z each, counted from 0 [nm]. Throws InputError, alike on all ranks,
/// for what can not be a body, and where molecules of one type do not have the same shape in a group. Collective.
std::string find_rigid_bodies(const Communicator& comm, Topology& topology, const Parameters& parameters,
                              std::span<const AtomRecord> records, const Box& box, Notes& notes);

/// Adds the bodies of such a text to the topology.
void add_rigid_bodies(Topology& topology, const std::string& text);

} // namespace holon
