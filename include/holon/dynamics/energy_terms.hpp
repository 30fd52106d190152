#pragma once

#include <holon/system/energies.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <array>
#include <vector>

namespace holon {

/// The energies that a system with these parameters has, in the order in which they are shown: bonded ones with
/// interactions in it; those of the non-bonded forces always.
std::vector<EnergyTerm> energy_terms(const Topology& topology, const Parameters& parameters);

/// Puts the parts of the electrostatics under the names that users know: with a mesh, short and long range.
void name_coulomb_terms(std::array<double, energy_term_count>& energy, CoulombKind kind);

} // namespace holon
