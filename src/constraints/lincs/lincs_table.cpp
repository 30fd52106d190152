#include "lincs_table.hpp"

#include <holon/core/index.hpp>

#include <algorithm>

namespace holon {

void LincsTable::rebuild(const Communicator& comm, int order, std::span<const ClusterInstance> instances,
                         const Atoms& atoms, const AtomDirectory& directory)
{
    clusters.assign(instances.begin(), instances.end());
    shape_of_.clear();
    for (const auto& instance : clusters) shape_of_.push_back(shapes_.index_of(instance));
    bonds.clear();
    for (auto* per_place : {&i, &j, &local_i, &local_j}) per_place->clear();
    for (auto* per_place : {&length, &scale, &inverse_mass_i, &inverse_mass_j, &d2, &per_d2}) per_place->clear();
    numbered.clear(atoms.n_owned);

    for (std::size_t c = 0; c < clusters.size(); ++c)
        add_bonds_of(static_cast<std::int32_t>(c), order, atoms, directory);
    std::ranges::stable_sort(bonds, {}, [this](const Bond& b) {
        return std::pair(b.shell, shape_of(b.cluster).couplings_of(b.constraint).size());
    });
    for (auto& bond : bonds) set_up(bond, directory);
    find_couplings();
    for (auto* per_place : {&i, &j, &local_i, &local_j}) per_place->resize(n_places());
    for (auto* per_place : {&length, &scale, &inverse_mass_i, &inverse_mass_j, &d2, &per_d2})
        per_place->resize(n_places());

    triangle_bonds.clear();
    triangle_couplings.clear();
    fill(factors, n_places(), couplings_, [this](const Entry& coupling, std::size_t at) {
        if (!coupling.triangle) return;
        const auto n = static_cast<std::int32_t>(triangle_couplings.size());
        if (triangle_bonds.empty() || triangle_bonds.back().bond != coupling.row)
            triangle_bonds.push_back({coupling.row, n, n});
        ++triangle_bonds.back().end;
        triangle_couplings.push_back(at);
    });
    numbered.connect(comm, directory);
}

void LincsTable::add_bonds_of(std::int32_t cluster, int order, const Atoms& atoms, const AtomDirectory& directory)
{
    const auto& instance = clusters[index(cluster)];
    const auto& shape = shape_of(cluster);
    std::vector<std::int32_t> owned;
    for (std::size_t a = 0; a < instance.cluster->atoms.size(); ++a) {
        const auto local = directory.local_index(instance.molecule_start + instance.cluster->atoms[a]);
        if (local >= 0 && local < atoms.n_owned) owned.push_back(static_cast<std::int32_t>(a));
    }
    if (owned.size() == instance.cluster->atoms.size())
        for (std::int32_t k = 0; k < shape.size(); ++k) bonds.push_back({cluster, k});
    else
        for (const auto& [k, shell] : LincsReach(shape, order)(owned)) bonds.push_back({cluster, k, shell});
}

/// The next place.
void LincsTable::set_up(Bond& bond, const AtomDirectory& directory)
{
    const auto& instance = clusters[index(bond.cluster)];
    const auto& shape = shape_of(bond.cluster);
    const auto k = index(bond.constraint);
    const auto number = [&](std::int32_t place) {
        return numbered.number_of(instance.molecule_start + instance.cluster->atoms[index(place)], directory);
    };
    i.push_back(number(shape.first[k]));
    j.push_back(number(shape.second[k]));
    local_i.push_back(numbered.local(index(i.back())));
    local_j.push_back(numbered.local(index(j.back())));
    bond.counted = numbered.owned(index(i.back()));
    length.push_back(shape.length[k]);
    scale.push_back(shape.scale[k]);
    const double square = length.back() * length.back();
    d2.push_back(bond.counted ? square : 0.0);
    per_d2.push_back(bond.counted ? 1.0 / square : 0.0);
    inverse_mass_i.push_back(shape.inverse_mass[index(shape.first[k])]);
    inverse_mass_j.push_back(shape.inverse_mass[index(shape.second[k])]);
}

void LincsTable::find_couplings()
{
    couplings_.clear();
    std::vector<std::vector<std::int32_t>> place_of(clusters.size()); // per constraint; -1: not here
    for (std::size_t place = 0; place < bonds.size(); ++place) {
        auto& places = place_of[index(bonds[place].cluster)];
        if (places.empty()) places.assign(clusters[index(bonds[place].cluster)].cluster->constraints.size(), -1);
        places[index(bonds[place].constraint)] = static_cast<std::int32_t>(place);
    }
    for (std::size_t place = 0; place < bonds.size(); ++place) {
        const auto& [cluster, constraint, shell, counted] = bonds[place];
        for (const auto& coupling : shape_of(cluster).couplings_of(constraint))
            if (const auto other = place_of[index(cluster)][index(coupling.constraint)];
                other >= 0) // else too far away
                couplings_.push_back({static_cast<std::int32_t>(place), other, coupling.factor, coupling.triangle});
    }
}

/// `note`: is told each entry and where it is.
template <class Note>
void LincsTable::fill(Matrix& matrix, std::size_t n_rows, std::span<const Entry> entries, Note note) const
{
    std::vector<std::int64_t> n_entries(n_rows, 0);
    for (const auto& entry : entries) ++n_entries[index(entry.row)];
    matrix.begin.assign(1, 0);
    for (std::size_t row = 0; row < n_rows; row += lanes)
        matrix.begin.push_back(matrix.begin.back() + std::ranges::max(std::span(n_entries).subspan(row, lanes)));
    const auto empty = static_cast<std::int32_t>(bonds.size()); // the first place that is
    matrix.column.assign(index(matrix.begin.back()) * lanes, empty);
    matrix.value.assign(matrix.column.size(), 0.0);

    std::ranges::fill(n_entries, 0);
    for (const auto& entry : entries) {
        const auto row = index(entry.row);
        const auto at = index(matrix.begin[row / lanes] + n_entries[row]++) * lanes + row % lanes;
        matrix.column[at] = entry.column;
        matrix.value[at] = entry.value;
        note(entry, at);
    }
}

} // namespace holon
