#include "thermostats/draws.hpp"

#include <holon/core/index.hpp>

#include <numeric>

namespace holon {

namespace {

/// Per atom of a molecule type the first atom of its constraint cluster: itself, if it is free.
std::vector<std::int32_t> first_of_cluster(const MoleculeType& molecule, const MoleculeClusters& clusters)
{
    std::vector<std::int32_t> first(molecule.atoms.size());
    std::iota(first.begin(), first.end(), 0);
    for (const auto& cluster : clusters.clusters)
        for (const auto atom : cluster.atoms) first[index(atom)] = cluster.atoms.front();
    for (const auto& settle : molecule.settles)
        for (std::int32_t k = 1; k < 3; ++k) first[index(settle.oxygen + k)] = settle.oxygen;
    return first;
}

} // namespace

Draws::Draws(const SchemeInput& input) : parameters_(input.parameters)
{
    const auto clusters = clusters_of(input.topology);
    for (std::size_t type = 0; type < clusters.size(); ++type)
        first_.push_back(first_of_cluster(input.topology.molecule_types[type], clusters[type]));
}

const std::vector<std::size_t>& Draws::at(const System& system, std::int64_t step)
{
    auto& list = lists_[static_cast<std::uint64_t>(step) % lists_.size()];
    if (list.step == step && list.repartition == system.n_repartitions()) return list.atoms;
    list = {step, system.n_repartitions(), {}};
    if (!any_at(step)) return list.atoms;
    const auto& places = system.partition().place();
    AtomId last_first = -1; // neighbours often belong together
    bool last_hit = false;
    for (std::size_t i = 0; i < index(system.atoms.n_owned); ++i) {
        const double tau = parameters_.tc_groups[system.atoms.tc_group[i]].tau;
        if (!(tau > 0.0)) continue;
        const auto& place = places[i];
        const auto first = place.molecule_start + first_[index(place.molecule_type)][index(place.index)];
        if (first != last_first) last_hit = is_hit(step, first, tau);
        last_first = first;
        if (last_hit) list.atoms.push_back(i);
    }
    return list.atoms;
}

} // namespace holon
