#include "link_table.hpp"

#include <holon/core/error.hpp>

#include <algorithm>

namespace holon {

namespace {

AtomId id_of(const ClusterInstance& instance, std::int32_t atom)
{
    return instance.molecule_start + atom;
}

/// Indices of the constraints of a colour: the first, and one past the last.
std::pair<std::size_t, std::size_t> colour_range(const ConstraintCluster& cluster, std::size_t colour)
{
    return {static_cast<std::size_t>(cluster.colour_begin[colour]),
            static_cast<std::size_t>(cluster.colour_begin[colour + 1])};
}

std::size_t colour_count(const ConstraintCluster& cluster)
{
    return cluster.colour_begin.size() - 1;
}

} // namespace

void LinkTable::rebuild(const Communicator& comm, std::span<const ClusterInstance> instances, const Atoms& atoms,
                        const AtomDirectory& directory)
{
    n_owned_ = atoms.n_owned;
    clusters.clear();
    links.clear();
    cut_runs.clear();
    ids.clear();
    local.clear();
    number_.clear();
    exchanges_.clear();

    std::vector<ClusterKey> cut_here;
    for (const auto& instance : instances) {
        const auto is_owned = [&](std::int32_t atom) {
            const auto index = directory.local_index(id_of(instance, atom));
            return index >= 0 && index < n_owned_;
        };
        const auto c = static_cast<std::int32_t>(clusters.size());
        auto& cluster = clusters.emplace_back(LinkedCluster{instance, -1, 0, 0});
        if (std::ranges::all_of(instance.cluster->atoms, is_owned)) {
            cluster.begin = static_cast<std::int32_t>(links.size());
            for (std::size_t k = 0; k < instance.cluster->constraints.size(); ++k) add_link(c, k, directory);
            cluster.end = static_cast<std::int32_t>(links.size());
        } else {
            cluster.bit = 0;
            cut_here.emplace_back(instance.molecule, instance.cluster_index);
        }
    }
    const auto cut = number_cut_clusters(comm, cut_here);
    n_cut = static_cast<std::int64_t>(cut.size());
    if (cut.empty()) return;
    for (auto& cluster : clusters)
        if (cluster.bit >= 0)
            cluster.bit =
                std::ranges::lower_bound(cut, ClusterKey(cluster.instance.molecule, cluster.instance.cluster_index)) -
                cut.begin();
    add_cut_clusters(comm, directory);
}

std::int32_t LinkTable::number_of(AtomId id, const AtomDirectory& directory)
{
    const auto [entry, is_new] = number_.try_emplace(id, static_cast<std::int32_t>(ids.size()));
    if (is_new) {
        const auto index = directory.local_index(id);
        HOLON_ASSERT(index >= 0,
                     "no copy of atom id " + std::to_string(id) + ", which a constraint binds to an owned atom");
        ids.push_back(id);
        local.push_back(index);
    }
    return entry->second;
}

void LinkTable::add_link(std::int32_t cluster, std::size_t constraint_index, const AtomDirectory& directory)
{
    const auto& instance = clusters[static_cast<std::size_t>(cluster)].instance;
    const auto& constraint = instance.cluster->constraints[constraint_index];
    auto& places = places_[instance.cluster];
    if (places.empty()) places = places_at_first_atom(*instance.cluster);
    const auto inverse_mass = [&](std::int32_t atom) {
        return 1.0 / instance.molecule_type->atoms[static_cast<std::size_t>(atom)].mass;
    };
    Link link;
    link.i = number_of(id_of(instance, constraint.i), directory);
    link.j = number_of(id_of(instance, constraint.j), directory);
    link.cluster = cluster;
    link.counted = owned(link.i);
    link.place = places[constraint_index];
    link.d2 = constraint.length * constraint.length;
    link.inverse_mass_i = inverse_mass(constraint.i);
    link.inverse_mass_j = inverse_mass(constraint.j);
    links.push_back(link);
}

void LinkTable::add_cut_clusters(const Communicator& comm, const AtomDirectory& directory)
{
    std::int64_t n_colours = 0;
    for (const auto& cluster : clusters)
        if (cluster.bit >= 0)
            n_colours = std::max(n_colours, static_cast<std::int64_t>(colour_count(*cluster.instance.cluster)));
    cut_runs.resize(static_cast<std::size_t>(comm.max(n_colours)));

    const auto is_owned = [&](const ClusterInstance& instance, std::int32_t atom) {
        const auto index = directory.local_index(id_of(instance, atom));
        return index >= 0 && index < n_owned_;
    };
    for (std::size_t colour = 0; colour < cut_runs.size(); ++colour)
        for (std::size_t c = 0; c < clusters.size(); ++c) {
            const auto instance = clusters[c].instance;
            if (clusters[c].bit < 0 || colour >= colour_count(*instance.cluster)) continue;
            LinkRun run{static_cast<std::int32_t>(links.size()), 0, static_cast<std::int32_t>(c)};
            for (auto [k, stop] = colour_range(*instance.cluster, colour); k < stop; ++k) {
                const auto& constraint = instance.cluster->constraints[k];
                if (is_owned(instance, constraint.i) || is_owned(instance, constraint.j))
                    add_link(run.cluster, k, directory);
            }
            run.end = static_cast<std::int32_t>(links.size());
            if (run.end > run.begin) cut_runs[colour].push_back(run);
        }
    exchanges_ = make_copy_exchanges(comm, static_cast<int>(cut_runs.size()) + 1, copy_requests(directory),
                                     [&](AtomId id) { return number_.at(id); });
}

std::vector<CopyRequest> LinkTable::copy_requests(const AtomDirectory& directory) const
{
    std::vector<CopyRequest> requests;
    const auto request = [&](int channel, std::int32_t number) {
        const auto n = static_cast<std::size_t>(number);
        requests.push_back({channel, ids[n], number, directory.owner_of(local[n])});
    };
    for (std::int32_t number = 0; number < static_cast<std::int32_t>(n_atoms()); ++number)
        if (!owned(number)) request(0, number);

    // A constraint between two atoms of which this rank owns neither is computed elsewhere, and may change copies kept
    // here.
    for (const auto& [instance, bit, begin, end] : clusters) {
        if (bit < 0) continue;
        for (std::size_t colour = 0; colour < colour_count(*instance.cluster); ++colour)
            for (auto [k, stop] = colour_range(*instance.cluster, colour); k < stop; ++k) {
                const auto& constraint = instance.cluster->constraints[k];
                const auto i = number_.find(id_of(instance, constraint.i)),
                           j = number_.find(id_of(instance, constraint.j));
                const auto is_copy = [&](const auto& entry) { return entry == number_.end() || !owned(entry->second); };
                if (!is_copy(i) || !is_copy(j)) continue;
                for (const auto& entry : {i, j})
                    if (entry != number_.end()) request(1 + static_cast<int>(colour), entry->second);
            }
    }
    return requests;
}

namespace {

void update(HaloExchange& exchange, std::vector<IVec3>& values, ConstraintResult& result)
{
    exchange.update(values);
    result.messages += exchange.messages();
    result.bytes += exchange.copies_sent() * static_cast<std::int64_t>(sizeof(IVec3));
}

} // namespace

void LinkTable::refresh(std::vector<IVec3>& values, ConstraintResult& result)
{
    if (!exchanges_.empty()) update(exchanges_[0], values, result);
}

void LinkTable::refresh_after(std::size_t colour, std::vector<IVec3>& values, ConstraintResult& result)
{
    update(exchanges_[1 + colour], values, result);
}

std::vector<std::int32_t> places_at_first_atom(const ConstraintCluster& cluster)
{
    std::unordered_map<std::int32_t, std::int32_t> count;
    std::vector<std::int32_t> places;
    for (const auto& constraint : cluster.constraints) places.push_back(count[constraint.i]++);
    return places;
}

} // namespace holon
