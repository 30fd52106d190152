#pragma once

#include <holon/system/local_terms.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace holon {

/// One distance made of those of several pairs: R^-6 is the sum of their r^-6. It is free between low and up1, and
/// pulled by no more than at up2 beyond that.
struct DistanceRestraint {
    std::vector<std::array<std::int32_t, 2>> pairs; // indices into IntermolecularTerms::atoms
    double low = 0.0, up1 = 0.0, up2 = 0.0;         // [nm]
    double factor = 1.0;                            // of Parameters::disre_fc
    bool averaged = true;                           // over time, where Parameters::disre_tau asks for it
};

/// Bonded terms between molecules and distance restraints: few, and between atoms anywhere in the system.
struct IntermolecularTerms {
    std::vector<AtomId> atoms; // that they act on, ascending
    LocalTermLists terms;      // atoms: indices into `atoms`; parameters: into those of the topology
    std::vector<DistanceRestraint> restraints;
};

} // namespace holon
