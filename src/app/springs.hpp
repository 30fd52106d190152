#pragma once

#include <holon/app/input.hpp>
#include <holon/comm/communicator.hpp>

namespace holon {

/// With constraint-algorithm = springs: puts the atoms of a start onto the constraints, unless it is a continuation.
/// Velocities stay: those along springs are theirs. Collective.
void project_start_of_springs(const Communicator& comm, RunInput& input);

/// With constraint-algorithm = springs, makes springs of the topology's constraints.
void make_springs(Topology& topology, const Parameters& parameters);

/// Throws InputError for a step in which no spring of the topology is stable, and for a scheme that can not have them;
/// notes a step in which they may not be, or hardly move as they should.
void check_springs(const Topology& topology, const Parameters& parameters, Notes& notes);

} // namespace holon
