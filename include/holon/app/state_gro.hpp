#pragma once

#include <holon/dynamics/system.hpp>
#include <holon/io/checkpoint.hpp>

#include <span>
#include <string>

namespace holon {

/// A state as a .gro file at full precision: wrapped positions and velocities, atoms in input order. Failure, if it
/// cannot be written.
void write_state_gro(const std::string& path, const Topology& topology, const RunState& state,
                     std::span<const AtomRecord> atoms); // sorted by id

/// The same of a state that is spread over the ranks; no rank holds all of it. Collective.
void write_state_gro(const std::string& path, const System& system, const RunState& state);

} // namespace holon
