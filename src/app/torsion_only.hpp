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

/// With `constraints = torsion-only`: replaces the constraints of each molecule type by those of its units in the first
/// molecule of the type, see torsion_only(). Returns them as text: lines `type d i j length from-angle` of distances,
/// `type p i j k l area` of planes and `type u n atoms` of units [nm, nm^2], counted from 0. Throws InputError, alike
/// on all ranks. Collective.
std::string make_torsion_only(const Communicator& comm, Topology& topology, const Parameters& parameters,
                              std::span<const AtomRecord> records, const Box& box, Notes& notes);

/// Replaces the constraints of the molecule types in such a text.
void set_torsion_only(Topology& topology, const std::string& text);

} // namespace holon
