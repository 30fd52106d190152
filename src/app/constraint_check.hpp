#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/topology.hpp>

#include <span>
#include <string>

namespace holon {

/// Takes constraints out of the topology that follow from others in the first molecule of their type, see
/// implied_constraints(). `records`: the atoms of this rank. Returns what is left out as text: a line
/// `molecule-type i j length` each, counted from 0 [nm]. Throws InputError, alike on all ranks, for constraints that
/// can not be solved for. Collective.
std::string leave_out_implied_constraints(const Communicator& comm, Topology& topology,
                                          std::span<const AtomRecord> records, const Box& box);

/// Takes the constraints of such a text out of the topology.
void leave_out_constraints(Topology& topology, const std::string& text);

} // namespace holon
