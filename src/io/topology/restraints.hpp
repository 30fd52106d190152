#pragma once

#include <holon/io/topology_file.hpp>

#include "molecule.hpp"

#include <cstdint>
#include <vector>

namespace holon {

/// A distance restraint by the global ids of its pairs.
struct RestraintSource {
    std::vector<std::array<AtomId, 2>> pairs;
    DistanceRestraint restraint;
};

/// The [ distance_restraints ] of a molecule whose first atom is `first_atom`: lines with the same label that follow
/// each other are one restraint. Throws InputError.
std::vector<RestraintSource> read_distance_restraints(const ExpandedTopology& source, const MoleculeSource& molecule,
                                                      AtomId first_atom, std::int64_t n_atoms);

/// Adds restraints to what acts between molecules.
void add_restraints(IntermolecularTerms& terms, const std::vector<RestraintSource>& restraints);

} // namespace holon
