#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/vec3.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/clusters.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <vector>

namespace holon {

/// Degrees of freedom: 3 per atom with mass, less one per constraint, less 3 per group whose centre-of-mass motion is
/// removed (taken off its atoms, and with them off the coupling groups, in proportion to their other degrees of
/// freedom, as GROMACS does).
struct DegreesOfFreedom {
    double total = 0.0;
    std::vector<double> per_group; // of Parameters::tc_groups
};
DegreesOfFreedom count_degrees_of_freedom(const Topology& topology, const Parameters& parameters);

/// 1/2 sum m v^2 of each coupling group [kJ/mol]. Collective.
std::vector<double> group_kinetic_energies(const Atoms& atoms, std::size_t n_groups, const Communicator& comm);

/// 1/2 sum m v (x) v of all atoms [kJ/mol]. Collective.
Mat3 kinetic_tensor(const Atoms& atoms, const Communicator& comm);

/// Takes the velocity of its centre of mass off each group. Collective.
void remove_com_motion(Atoms& atoms, std::size_t n_groups, const Communicator& comm);

/// Draws velocities from the Maxwell distribution at `temperature` [K], keyed by seed and global id. No constraints
/// yet.
void generate_velocities(Atoms& atoms, double temperature, std::uint64_t seed);

} // namespace holon
