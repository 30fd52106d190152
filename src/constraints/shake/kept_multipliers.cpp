#include "kept_multipliers.hpp"

#include <holon/core/index.hpp>

#include <algorithm>

namespace holon {

namespace {

/// Where in Atoms::kept the multiplier is that has this place at an owned atom; -1: there are not so many.
std::ptrdiff_t place_in_kept(const Atoms& atoms, std::int32_t atom, std::int32_t place)
{
    const auto a = index(atom);
    const auto at = atoms.kept_begin[a] + place;
    return at < atoms.kept_begin[a + 1] ? at : -1;
}

} // namespace

void KeptMultipliers::add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs)
{
    needs.kept.resize(molecule.atoms.size());
    for (const auto& constraint : cluster.constraints) ++needs.kept[index(constraint.i)];
}

void KeptMultipliers::rebuild(const Communicator& comm, LinkTable& table, const Atoms& atoms)
{
    values_.assign(table.links.size(), 0.0);
    std::int64_t most = 0; // that begin at one atom
    for (std::size_t k = 0; k < values_.size(); ++k) {
        const auto& link = table.links[k];
        most = std::max(most, std::int64_t{link.place} + 1);
        const auto i = index(link.i);
        if (table.numbered.owned(i))
            values_[k] = atoms.kept[index(place_in_kept(atoms, table.numbered.local(i), link.place))];
    }
    if (table.n_cut == 0) return;

    // Copies of first atoms get them like positions: three at a time.
    constexpr std::int32_t at_once = 3;
    most = comm.max(most);
    std::vector<Vec3> some(table.numbered.size());
    ConstraintResult unused;
    for (std::int32_t first = 0; first < most; first += at_once) {
        for (std::size_t n = 0; n < some.size(); ++n) {
            some[n].setZero();
            if (!table.numbered.owned(n)) continue;
            for (int c = 0; c < at_once; ++c)
                if (const auto at = place_in_kept(atoms, table.numbered.local(n), first + c); at >= 0)
                    some[n][c] = atoms.kept[index(at)];
        }
        table.numbered.refresh(some, unused);
        for (std::size_t k = 0; k < values_.size(); ++k) {
            const auto& link = table.links[k];
            const auto i = index(link.i);
            if (!table.numbered.owned(i) && link.place >= first && link.place < first + at_once)
                values_[k] = some[i][link.place - first];
        }
    }
}

void KeptMultipliers::set(std::size_t link, double value, const LinkTable& table, Atoms& atoms)
{
    values_[link] = value;
    const auto i = index(table.links[link].i);
    if (!table.numbered.owned(i)) return;
    const auto at = place_in_kept(atoms, table.numbered.local(i), table.links[link].place);
    atoms.kept[index(at)] = value;
}

} // namespace holon
