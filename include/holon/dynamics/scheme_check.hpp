#pragma once

#include <holon/core/log.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <memory>

namespace holon {

/// Whether scheme and thermostat can do with this topology: InputError otherwise; what users should know of it goes
/// into the notes. Groups must have their atoms.
void check_scheme(const Topology& topology, const Parameters& parameters, Notes& notes);

/// The topology with the masses that the scheme works with, see SchemeEntry::mass: the same one, if these are the
/// masses of the atoms. InputError, if molecules of a type would need different ones.
std::shared_ptr<const Topology> with_masses_of_scheme(std::shared_ptr<const Topology> topology,
                                                      const Parameters& parameters);

} // namespace holon
