#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/core/vec3.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/clusters.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <span>
#include <vector>

namespace holon {

/// Degrees of freedom: 3 per atom with mass, less one per constraint, less 3 per group whose centre-of-mass motion is
/// removed, 6 if its rotation is, too (taken off its atoms, and with them off the coupling groups, in proportion to
/// their other degrees of freedom, as GROMACS does).
struct DegreesOfFreedom {
    double total = 0.0;
    std::vector<double> per_group; // of Parameters::tc_groups
};
DegreesOfFreedom count_degrees_of_freedom(const Topology& topology, const Parameters& parameters);

/// 1/2 sum m v^2 of each coupling group [kJ/mol]. Collective.
std::vector<double> group_kinetic_energies(const Atoms& atoms, std::size_t n_groups, const Communicator& comm);

/// The same of this rank's atoms, to be summed over ranks.
std::vector<FixedSum> local_group_kinetic_energies(const Atoms& atoms, std::size_t n_groups);

/// By which d velocities have changed since they were `before`: sum m before.d and 1/2 sum m d^2 of each coupling
/// group, [group][2], of this rank's atoms.
std::vector<FixedSum> local_group_kicks(const Atoms& atoms, std::span<const IVec3> before, std::size_t n_groups);

/// 1/2 sum m v (x) v of all atoms [kJ/mol]. Collective.
Mat3 kinetic_tensor(const Atoms& atoms, const Communicator& comm);

/// Takes the velocity of its centre of mass off each group. Returns the kinetic energy of that motion [kJ/mol].
/// Collective.
double remove_com_motion(Atoms& atoms, std::size_t n_groups, const Communicator& comm);

/// Takes the rotation about its centre of mass off each group that is at rest otherwise: the velocity field of a rigid
/// body with its angular momentum. Positions are unwrapped, by their images: a group that was whole at the start of the
/// run is whole. Nothing is done where atoms are all on a line. Returns the energy of the rotation [kJ/mol].
/// Collective.
double remove_rotation(Atoms& atoms, const Box& box, std::size_t n_groups, const Communicator& comm);

/// Whether atoms of different coupling groups belong to the same constraint cluster: to scale the velocities of one
/// group then takes them off the constraints.
bool groups_share_clusters(const Topology& topology, const std::vector<CouplingGroup>& groups);

/// Draws velocities from the Maxwell distribution at `temperature` [K], keyed by seed and global id. No constraints
/// yet.
void generate_velocities(Atoms& atoms, double temperature, std::uint64_t seed);

} // namespace holon
