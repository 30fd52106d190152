#include "inverse_table.hpp"

#include "bonds/bond_vectors.hpp"

#include <holon/core/index.hpp>

#include <algorithm>

namespace holon {

void InverseTable::rebuild(const Communicator& comm, std::span<const ClusterInstance> instances,
                           const std::function<const ApproximateInverse&(const ClusterInstance&)>& inverse_of,
                           const Atoms& atoms, const AtomDirectory& directory)
{
    clusters.clear();
    bonds.clear();
    elements.clear();
    numbered.clear(atoms.n_owned);
    std::vector<ClusterKey> cut_here;
    for (const auto& instance : instances) {
        const bool whole = std::ranges::all_of(instance.cluster->atoms, [&](std::int32_t atom) {
            const auto local = directory.local_index(instance.molecule_start + atom);
            return local >= 0 && local < atoms.n_owned;
        });
        clusters.push_back({instance, whole ? -1 : 0});
        if (!whole) cut_here.emplace_back(instance.molecule, instance.cluster_index);
        add_bonds(static_cast<std::int32_t>(clusters.size() - 1), inverse_of(instance), atoms, directory);
    }
    const auto keys = number_cut_clusters(comm, cut_here);
    n_cut = std::ssize(keys);
    for (auto& [instance, number] : clusters)
        if (number >= 0)
            number =
                std::ranges::lower_bound(keys, ClusterKey(instance.molecule, instance.cluster_index)) - keys.begin();
    numbered.connect(comm, directory);

    const std::int32_t some = numbered.size() > 0 ? numbered.local(0) : 0;
    for (auto* ends : {&i, &j}) ends->assign(places_for(bonds.size()), 0);
    for (auto* ends : {&local_i, &local_j}) ends->assign(places_for(bonds.size()), some);
    for (std::size_t b = 0; b < bonds.size(); ++b) {
        i[b] = bonds[b].i;
        j[b] = bonds[b].j;
        local_i[b] = numbered.local(index(i[b]));
        local_j[b] = numbered.local(index(j[b]));
    }
}

void InverseTable::add_bonds(std::int32_t cluster, const ApproximateInverse& inverse, const Atoms& atoms,
                             const AtomDirectory& directory)
{
    const auto& [molecule, shape, cluster_index, number, start] = clusters[index(cluster)].instance;
    const auto& constraints = shape->constraints;
    const auto owned = [&, start = start](std::int32_t atom) {
        const auto local = directory.local_index(start + atom);
        return local >= 0 && local < atoms.n_owned;
    };
    std::vector<std::int32_t> place(constraints.size(), -1); // among the bonds; -2: will have one
    std::vector<bool> moves(constraints.size());
    for (std::size_t k = 0; k < constraints.size(); ++k) {
        moves[k] = owned(constraints[k].i) || owned(constraints[k].j);
        if (!moves[k]) continue;
        for (const auto& element : inverse.row(static_cast<std::int32_t>(k))) place[index(element.constraint)] = -2;
    }
    const auto first = bonds.size();
    for (std::size_t k = 0; k < constraints.size(); ++k) {
        if (place[k] == -1) continue;
        place[k] = static_cast<std::int32_t>(bonds.size());
        const auto& constraint = constraints[k];
        auto& bond = bonds.emplace_back();
        bond.i = numbered.number_of(start + constraint.i, directory);
        bond.j = numbered.number_of(start + constraint.j, directory);
        bond.cluster = cluster;
        bond.moves = moves[k];
        bond.counted = owned(constraint.i);
        bond.d2 = constraint.length * constraint.length;
        bond.inverse_mass_i = molecule->atoms[index(constraint.i)].inverse_mass();
        bond.inverse_mass_j = molecule->atoms[index(constraint.j)].inverse_mass();
    }
    auto b = first;
    for (std::size_t k = 0; k < constraints.size(); ++k) {
        if (place[k] == -1) continue;
        auto& bond = bonds[b++];
        bond.begin = elements.size();
        if (bond.moves)
            for (const auto& element : inverse.row(static_cast<std::int32_t>(k)))
                elements.push_back({place[index(element.constraint)], element.factor});
        bond.end = elements.size();
    }
}

} // namespace holon
