#include "lincs_table.hpp"

namespace holon {

namespace {

std::size_t index(std::int32_t k)
{
    return static_cast<std::size_t>(k);
}

} // namespace

void LincsTable::rebuild(const Communicator& comm, int order, std::span<const ClusterInstance> instances,
                         const Atoms& atoms, const AtomDirectory& directory)
{
    clusters.assign(instances.begin(), instances.end());
    bonds.clear();
    couplings.clear();
    coupling_begin.assign(1, 0);
    triangle_bonds.clear();
    triangle_couplings.clear();
    numbered.clear(atoms.n_owned);

    for (std::size_t c = 0; c < clusters.size(); ++c) {
        const auto& instance = clusters[c];
        const auto& shape = shapes_[shapes_.index_of(instance)];
        std::vector<std::int32_t> owned, constraints;
        for (std::size_t a = 0; a < instance.cluster->atoms.size(); ++a) {
            const auto local = directory.local_index(instance.molecule_start + instance.cluster->atoms[a]);
            if (local >= 0 && local < atoms.n_owned) owned.push_back(static_cast<std::int32_t>(a));
        }
        if (owned.size() < instance.cluster->atoms.size())
            constraints = LincsReach(shape, order)(owned);
        else
            for (std::int32_t k = 0; k < shape.size(); ++k) constraints.push_back(k);
        add_cluster(static_cast<std::int32_t>(c), shape, constraints, directory);
    }
    numbered.connect(comm, directory);
}

void LincsTable::add_cluster(std::int32_t cluster, const LincsShape& shape, std::span<const std::int32_t> constraints,
                             const AtomDirectory& directory)
{
    const auto& instance = clusters[index(cluster)];
    const auto first_bond = static_cast<std::int32_t>(bonds.size());
    std::vector<std::int32_t> bond_of(index(shape.size()), -1); // -1: not here
    for (std::size_t n = 0; n < constraints.size(); ++n)
        bond_of[index(constraints[n])] = first_bond + static_cast<std::int32_t>(n);

    for (const auto k : constraints) {
        const auto number = [&](std::int32_t place) {
            return numbered.number_of(instance.molecule_start + instance.cluster->atoms[index(place)], directory);
        };
        Bond bond;
        bond.i = number(shape.first[index(k)]);
        bond.j = number(shape.second[index(k)]);
        bond.cluster = cluster;
        bond.counted = numbered.owned(index(bond.i));
        bond.length = shape.length[index(k)];
        bond.scale = shape.scale[index(k)];
        bond.inverse_mass_i = shape.inverse_mass[index(shape.first[index(k)])];
        bond.inverse_mass_j = shape.inverse_mass[index(shape.second[index(k)])];

        TriangleBond in_triangles{static_cast<std::int32_t>(bonds.size()),
                                  static_cast<std::int32_t>(triangle_couplings.size()), 0};
        bonds.push_back(bond);
        for (const auto& coupling : shape.couplings_of(k)) {
            const auto other = bond_of[index(coupling.constraint)];
            if (other < 0) continue; // too far away to matter
            if (coupling.triangle) triangle_couplings.push_back(static_cast<std::int32_t>(couplings.size()));
            couplings.push_back({other, coupling.factor});
        }
        coupling_begin.push_back(static_cast<std::int32_t>(couplings.size()));
        in_triangles.end = static_cast<std::int32_t>(triangle_couplings.size());
        if (in_triangles.end > in_triangles.begin) triangle_bonds.push_back(in_triangles);
    }
}

} // namespace holon
