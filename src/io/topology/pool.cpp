#include "pool.hpp"

namespace holon {

int TopologyPool::atom_type(int force_field_type)
{
    const auto [entry, is_new] = atom_types_.try_emplace(force_field_type, static_cast<int>(used_types_.size()));
    if (is_new) {
        const ParticleType& type = force_field_.atom_type(force_field_type);
        topology_.atom_types.push_back({type.name, type.atomic_number});
        used_types_.push_back(force_field_type);
    }
    return entry->second;
}

std::int32_t TopologyPool::parameters(Interaction kind, const InteractionParameters& values)
{
    const auto k = static_cast<std::size_t>(kind);
    auto& sets = topology_.parameters[k];
    const auto [entry, is_new] = parameters_[k].try_emplace(values, static_cast<std::int32_t>(sets.size()));
    if (is_new) sets.push_back(values);
    return entry->second;
}

std::int32_t TopologyPool::correction_map(const CmapGrid* grid)
{
    auto& grids = topology_.cmap_grids;
    const auto [entry, is_new] = maps_.try_emplace(grid, static_cast<std::int32_t>(grids.size()));
    if (is_new) grids.push_back(*grid);
    return parameters(Interaction::cmap, {static_cast<double>(entry->second)});
}

std::int32_t TopologyPool::table(const BondedTable* table)
{
    const auto [entry, is_new] = tables_.try_emplace(table, static_cast<std::int32_t>(topology_.tables.size()));
    if (is_new) topology_.tables.push_back(*table);
    return entry->second;
}

void TopologyPool::fill_lennard_jones()
{
    const std::size_t n = used_types_.size();
    topology_.c6.resize(n * n);
    topology_.c12.resize(n * n);
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            const auto [c6, c12] = force_field_.lennard_jones(used_types_[a], used_types_[b]);
            topology_.c6[a * n + b] = c6;
            topology_.c12[a * n + b] = c12;
        }
    }
}

} // namespace holon
