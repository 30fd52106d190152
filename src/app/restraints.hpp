#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/system/topology.hpp>

#include <string>

namespace holon {

/// Reference positions of all atoms with position restraints, from a file of coordinates, as text: a line `id x y z`
/// [nm] per atom. Empty if the topology has none. Throws InputError if it has and no file is given, or if the file does
/// not fit. `topology_path` is for the message. Collective.
std::string read_restraints(const Communicator& comm, const std::string& path, const Topology& topology,
                            const std::string& topology_path);

/// Puts such a text into topology.restraint_references.
void set_restraints(Topology& topology, const std::string& text);

} // namespace holon
