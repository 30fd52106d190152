#pragma once

#include <holon/io/topology_file.hpp>

#include "force_field.hpp"
#include "functions.hpp"
#include "pool.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace holon {

/// The lines of one molecule type, not looked at yet: only the molecule types that the system holds are built.
struct MoleculeSource {
    std::string name;
    std::int64_t excluded_bonds = 0; // nrexcl: atoms up to that many bonds apart do not interact
    std::vector<std::pair<const SectionInfo*, std::size_t>> lines; // section, line of the ExpandedTopology
};

/// Builds a molecule type; throws InputError.
MoleculeType build_molecule(const ExpandedTopology& source, const MoleculeSource& molecule,
                            const TopologyForceField& force_field, const TopologyOptions& options, TopologyPool& pool);

/// The terms of [ intermolecular_interactions ], whose atoms are numbered through the system. Throws InputError.
IntermolecularTerms build_intermolecular(const ExpandedTopology& source, const MoleculeSource& lines,
                                         const Topology& system, const TopologyForceField& force_field,
                                         const TopologyOptions& options, TopologyPool& pool);

/// Per atom the atoms that are at most `depth` bonds away or listed in `extra` (either way round): sorted, without
/// itself.
std::vector<std::vector<std::int32_t>> find_exclusions(std::size_t n_atoms,
                                                       const std::vector<std::pair<std::int32_t, std::int32_t>>& bonds,
                                                       const std::vector<std::pair<std::int32_t, std::int32_t>>& extra,
                                                       std::int64_t depth);

} // namespace holon
