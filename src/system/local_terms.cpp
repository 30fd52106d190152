#include <holon/system/local_terms.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <algorithm>

namespace holon {

namespace {

/// The anchor is in the middle, so that the other atoms are as near as can be.
std::int32_t anchor(const InteractionList& list, std::size_t term, int atoms_per_term)
{
    return list.atoms[term * index(atoms_per_term) + index((atoms_per_term - 1) / 2)];
}

} // namespace

TermIndex::TermIndex(const Topology& topology) : topology_(topology)
{
    for (const auto& molecule : topology.molecule_types) {
        std::vector<std::vector<Term>> of_atom(molecule.atoms.size());
        for (std::size_t kind = 0; kind < interaction_count; ++kind) {
            const auto& list = molecule.interactions[kind];
            for (std::size_t t = 0; t < list.size(); ++t)
                of_atom[index(anchor(list, t, interaction_info[kind].atoms))].push_back(
                    {static_cast<std::uint8_t>(kind), static_cast<std::int32_t>(t)});
        }
        auto& anchored = anchored_.emplace_back();
        anchored.begin.push_back(0);
        for (const auto& terms : of_atom) {
            anchored.terms.insert(anchored.terms.end(), terms.begin(), terms.end());
            anchored.begin.push_back(static_cast<std::int32_t>(anchored.terms.size()));
        }
    }
}

std::vector<MoleculeNeeds> TermIndex::needs(const std::vector<MoleculeClusters>& clusters) const
{
    std::vector<MoleculeNeeds> result(topology_.molecule_types.size());
    for (std::size_t m = 0; m < result.size(); ++m) {
        const auto& molecule = topology_.molecule_types[m];
        const auto& group_head = clusters[m].group_head;
        auto& needs = result[m].needs;
        needs.resize(molecule.atoms.size());
        result[m].beyond.resize(molecule.atoms.size());
        result[m].needed.resize(molecule.atoms.size());
        const auto need = [&](std::int32_t owner, std::int32_t other) {
            if (group_head[index(owner)] != group_head[index(other)]) needs[index(owner)].push_back(other);
        };
        for (std::size_t kind = 0; kind < interaction_count; ++kind) {
            const auto& list = molecule.interactions[kind];
            const int width = interaction_info[kind].atoms;
            for (std::size_t t = 0; t < list.size(); ++t)
                for (int a = 0; a < width; ++a) need(anchor(list, t, width), list.atoms[t * index(width) + index(a)]);
        }
        for (const auto& cluster : clusters[m].clusters) {
            if (cluster.small) continue;
            for (const auto& constraint : cluster.constraints) {
                need(constraint.i, constraint.j);
                need(constraint.j, constraint.i);
            }
        }
        for (auto& others : needs) {
            std::ranges::sort(others);
            others.erase(std::ranges::unique(others).begin(), others.end());
            for (const auto other : others) result[m].needed[index(other)] = true;
        }
    }
    return result;
}

LocalTermLists TermIndex::localise(const Atoms& atoms, const Partition& partition) const
{
    LocalTermLists lists;
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const auto& place = partition.place()[index(i)];
        const auto& anchored = anchored_[index(place.molecule_type)];
        const auto& molecule = topology_.molecule_types[index(place.molecule_type)];
        for (auto t = anchored.begin[index(place.index)]; t < anchored.begin[index(place.index) + 1]; ++t) {
            const auto [kind, term] = anchored.terms[index(t)];
            const auto& list = molecule.interactions[kind];
            const auto width = index(interaction_info[kind].atoms);
            for (std::size_t a = 0; a < width; ++a) {
                const auto id = place.molecule_start + list.atoms[index(term) * width + a];
                const auto local = partition.local().find(id);
                HOLON_ASSERT(local >= 0, std::to_string(id));
                lists[kind].atoms.push_back(local);
            }
            lists[kind].parameters.push_back(list.parameters[index(term)]);
        }
    }
    return lists;
}

} // namespace holon
