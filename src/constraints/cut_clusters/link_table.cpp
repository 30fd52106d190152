#include "link_table.hpp"

#include <holon/core/index.hpp>

#include <algorithm>
#include <numeric>

namespace holon {

namespace {

AtomId id_of(const ClusterInstance& instance, std::int32_t atom)
{
    return instance.molecule_start + atom;
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
    whole.clear();
    cut = {};
    numbered.clear(n_owned_);

    std::vector<ClusterKey> cut_here;
    for (const auto& instance : instances) {
        const auto is_owned = [&](std::int32_t atom) {
            const auto index = directory.local_index(id_of(instance, atom));
            return index >= 0 && index < n_owned_;
        };
        auto& cluster = clusters.emplace_back(LinkedCluster{instance});
        if (std::ranges::all_of(instance.cluster->atoms, is_owned)) continue;
        cluster.bit = 0;
        cut_here.emplace_back(instance.molecule, instance.cluster_index);
    }
    add_whole_clusters(directory);
    const auto keys = number_cut_clusters(comm, cut_here);
    n_cut = static_cast<std::int64_t>(keys.size());
    if (keys.empty()) return;
    for (auto& cluster : clusters)
        if (cluster.bit >= 0)
            cluster.bit =
                std::ranges::lower_bound(keys, ClusterKey(cluster.instance.molecule, cluster.instance.cluster_index)) -
                keys.begin();
    add_cut_clusters(comm, directory);
}

void LinkTable::add_link(std::int32_t cluster, std::size_t constraint_index, const AtomDirectory& directory)
{
    const auto& instance = clusters[static_cast<std::size_t>(cluster)].instance;
    const auto& constraint = instance.cluster->constraints[constraint_index];
    auto& places = places_[instance.cluster];
    if (places.empty()) places = places_at_first_atom(*instance.cluster);
    const auto inverse_mass = [&](std::int32_t atom) {
        return instance.molecule_type->atoms[static_cast<std::size_t>(atom)].inverse_mass();
    };
    Link link;
    link.i = numbered.number_of(id_of(instance, constraint.i), directory);
    link.j = numbered.number_of(id_of(instance, constraint.j), directory);
    link.cluster = cluster;
    link.counted = numbered.owned(index(link.i));
    link.place = places[constraint_index];
    link.d2 = constraint.length * constraint.length;
    link.inverse_mass_i = inverse_mass(constraint.i);
    link.inverse_mass_j = inverse_mass(constraint.j);
    links.push_back(link);
}

const LinkReach& LinkTable::reach_of(const ConstraintCluster& cluster)
{
    return reach_.try_emplace(&cluster, cluster).first->second;
}

void LinkTable::add_needs(const ConstraintCluster& cluster, MoleculeNeeds& needs)
{
    const LinkReach reach(cluster);
    for (std::int32_t place = 0; place < static_cast<std::int32_t>(cluster.atoms.size()); ++place) {
        auto& beyond = needs.beyond[static_cast<std::size_t>(cluster.atoms[static_cast<std::size_t>(place)])];
        for (const auto k : reach(std::span(&place, 1)))
            for (const auto end : reach.atoms_of(k)) beyond.push_back(cluster.atoms[static_cast<std::size_t>(end)]);
        std::ranges::sort(beyond);
        beyond.erase(std::ranges::unique(beyond).begin(), beyond.end());
    }
    for (const auto atom : cluster.atoms) needs.needed[static_cast<std::size_t>(atom)] = true;
}

void LinkTable::add_colours(LinkBatch& batch, std::span<const std::vector<std::int32_t>> constraints,
                            const AtomDirectory& directory)
{
    std::vector<std::size_t> next(batch.clusters.size(), 0); // to be added
    for (std::size_t colour = 0; colour < batch.colours.size(); ++colour) {
        auto& run = batch.colours[colour];
        run.begin = static_cast<std::int32_t>(links.size());
        for (std::size_t c = 0; c < next.size(); ++c) {
            const auto cluster = batch.clusters[c];
            const auto& colour_begin = clusters[index(cluster)].instance.cluster->colour_begin;
            for (; next[c] < constraints[c].size(); ++next[c]) {
                const auto k = constraints[c][next[c]];
                if (colour + 1 < colour_begin.size() && k >= colour_begin[colour + 1]) break;
                add_link(cluster, index(k), directory);
            }
        }
        run.end = static_cast<std::int32_t>(links.size());
    }
}

/// Some hundred links at a time: vectors of eight are full, and few sweeps are for clusters that have been done before.
void LinkTable::add_whole_clusters(const AtomDirectory& directory)
{
    constexpr std::size_t many_links = 256;
    LinkBatch batch;
    std::vector<std::vector<std::int32_t>> constraints;
    std::size_t n_links = 0;
    const auto add_batch = [&] {
        if (batch.clusters.empty()) return;
        add_colours(batch, constraints, directory);
        whole.push_back(std::move(batch));
        batch = {};
        constraints.clear();
        n_links = 0;
    };
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        if (clusters[c].bit >= 0) continue;
        const auto& cluster = *clusters[c].instance.cluster;
        batch.clusters.push_back(static_cast<std::int32_t>(c));
        batch.colours.resize(std::max(batch.colours.size(), colour_count(cluster)));
        auto& all = constraints.emplace_back(cluster.constraints.size());
        std::iota(all.begin(), all.end(), 0);
        n_links += all.size();
        if (n_links >= many_links) add_batch();
    }
    add_batch();
}

void LinkTable::add_cut_clusters(const Communicator& comm, const AtomDirectory& directory)
{
    std::int64_t n_colours = 0;
    std::vector<std::vector<std::int32_t>> computed; // constraints
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        if (clusters[c].bit < 0) continue;
        const auto& instance = clusters[c].instance;
        n_colours = std::max(n_colours, static_cast<std::int64_t>(colour_count(*instance.cluster)));
        std::vector<std::int32_t> own; // atoms
        for (std::size_t place = 0; place < instance.cluster->atoms.size(); ++place) {
            const auto index = directory.local_index(id_of(instance, instance.cluster->atoms[place]));
            if (index >= 0 && index < n_owned_) own.push_back(static_cast<std::int32_t>(place));
        }
        cut.clusters.push_back(static_cast<std::int32_t>(c));
        computed.push_back(reach_of(*instance.cluster)(own));
    }
    cut.colours.resize(static_cast<std::size_t>(comm.max(n_colours)));
    add_colours(cut, computed, directory);

    std::vector<CopyRequest> after_rounds; // channel 1 + round
    for (std::size_t c = 0; c < computed.size(); ++c)
        request_stale(cut.clusters[c], computed[c], directory, after_rounds);
    const auto n_rounds = (cut.colours.size() + LinkReach::colours_together - 1) / LinkReach::colours_together;
    numbered.connect(comm, directory, static_cast<int>(n_rounds), std::move(after_rounds));
}

/// After each round: copies of a cluster's atoms that are held by constraints of this round which are not computed
/// here.
void LinkTable::request_stale(std::int32_t cluster, const std::vector<std::int32_t>& computed,
                              const AtomDirectory& directory, std::vector<CopyRequest>& requests) const
{
    const auto& instance = clusters[index(cluster)].instance;
    const auto& reach = reach_.at(instance.cluster);
    for (std::size_t place = 0; place < instance.cluster->atoms.size(); ++place) {
        const auto number = numbered.find(id_of(instance, instance.cluster->atoms[place]));
        if (number < 0 || numbered.owned(index(number))) continue;
        std::size_t asked = 0; // for all rounds before this; constraints come by colour
        for (const auto k : reach.constraints_at(static_cast<std::int32_t>(place))) {
            if (reach.round(k) < asked || std::ranges::binary_search(computed, k)) continue;
            asked = reach.round(k) + 1;
            requests.push_back(numbered.request(static_cast<int>(asked), number, directory));
        }
    }
}

void LinkTable::refresh_after(std::size_t colour, std::vector<PaddedVec3>& values, ConstraintResult& result)
{
    const bool last = colour + 1 == cut.colours.size() || (colour + 1) % LinkReach::colours_together == 0;
    if (last) numbered.refresh(values, result, 1 + colour / LinkReach::colours_together);
}

std::vector<std::int32_t> places_at_first_atom(const ConstraintCluster& cluster)
{
    std::unordered_map<std::int32_t, std::int32_t> count;
    std::vector<std::int32_t> places;
    for (const auto& constraint : cluster.constraints) places.push_back(count[constraint.i]++);
    return places;
}

} // namespace holon
