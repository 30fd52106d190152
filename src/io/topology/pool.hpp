#pragma once

#include <holon/system/topology.hpp>

#include "force_field.hpp"

#include <array>
#include <cstdint>
#include <map>

namespace holon {

/// What the molecule types of a topology share: collects the atom types, parameter sets and correction maps in use,
/// each once.
class TopologyPool {
public:
    /// Both must outlive this.
    TopologyPool(Topology& topology, const TopologyForceField& force_field)
        : topology_(topology), force_field_(force_field)
    {
    }

    /// Index in Topology::atom_types of an atom type of the force field.
    int atom_type(int force_field_type);

    /// Index in Topology::parameters[kind].
    std::int32_t parameters(Interaction kind, const InteractionParameters& values);

    /// As `parameters`, for a correction map of the force field.
    std::int32_t correction_map(const CmapGrid* grid);

    /// Index in Topology::tables of a table of the force field.
    std::int32_t table(const BondedTable* table);

    /// The force field's type behind an atom type in use.
    int force_field_type(int used_type) const { return used_types_[static_cast<std::size_t>(used_type)]; }

    /// Fills the Lennard-Jones tables, once all atom types are known.
    void fill_lennard_jones();

private:
    Topology& topology_;
    const TopologyForceField& force_field_;
    std::map<int, int> atom_types_; // type of the force field -> type in use
    std::vector<int> used_types_;   // type in use -> type of the force field
    std::array<std::map<InteractionParameters, std::int32_t>, interaction_count> parameters_;
    std::map<const CmapGrid*, std::int32_t> maps_;
    std::map<const BondedTable*, std::int32_t> tables_;
};

} // namespace holon
