#include <holon/core/error.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <algorithm>
#include <iterator>
#include <set>

namespace holon {

namespace {

const MoleculeType& type_of(const Topology& topology, const MoleculeBlock& block)
{
    return topology.molecule_types[static_cast<std::size_t>(block.type)];
}

} // namespace

std::vector<std::pair<std::int32_t, std::int32_t>> MoleculeType::distinct_bonds() const
{
    std::set<std::pair<std::int32_t, std::int32_t>> distinct;
    for (const auto& [i, j] : bonds) distinct.insert(std::minmax(i, j));
    for (const Settle& settle : settles) {
        const std::int32_t first = settle.oxygen + 1, second = settle.oxygen + 2;
        distinct.erase({first, second}); // what keeps the angle
        distinct.insert({{settle.oxygen, first}, {settle.oxygen, second}});
    }
    return {distinct.begin(), distinct.end()};
}

std::int64_t Topology::n_atoms() const
{
    if (blocks.empty()) return 0;
    const auto size = static_cast<std::int64_t>(type_of(*this, blocks.back()).atoms.size());
    return blocks.back().first_atom + blocks.back().count * size;
}

std::int64_t Topology::n_molecules() const
{
    return blocks.empty() ? 0 : blocks.back().first_molecule + blocks.back().count;
}

AtomPlace Topology::place(AtomId id) const
{
    HOLON_ASSERT(id >= 0 && id < n_atoms(), "atom " + std::to_string(id) + " of " + std::to_string(n_atoms()));
    const auto after = std::upper_bound(blocks.begin(), blocks.end(), id, [](AtomId atom, const MoleculeBlock& block) {
        return atom < block.first_atom;
    });
    const MoleculeBlock& block = *std::prev(after);
    const auto size = static_cast<AtomId>(type_of(*this, block).atoms.size());
    const AtomId offset = id - block.first_atom;
    AtomPlace place;
    place.block = static_cast<int>(std::prev(after) - blocks.begin());
    place.molecule_type = block.type;
    place.molecule = block.first_molecule + offset / size;
    place.index = offset % size;
    place.molecule_start = id - place.index;
    return place;
}

const TopologyAtom& Topology::atom(AtomId id) const
{
    const AtomPlace at = place(id);
    return molecule_types[static_cast<std::size_t>(at.molecule_type)].atoms[static_cast<std::size_t>(at.index)];
}

std::int64_t Topology::n_constraints() const
{
    std::int64_t n = 0;
    for (const MoleculeBlock& block : blocks) {
        const MoleculeType& type = type_of(*this, block);
        std::int64_t of_type = std::ssize(type.constraints) + std::ssize(type.planes) + 3 * std::ssize(type.settles);
        for (const RigidBody& body : type.bodies) of_type += body.n_constraints();
        n += block.count * of_type;
    }
    return n;
}

std::int64_t Topology::n_virtual_sites() const
{
    std::int64_t n = 0;
    for (const MoleculeBlock& block : blocks)
        n += block.count * static_cast<std::int64_t>(type_of(*this, block).virtual_sites.size());
    return n;
}

double Topology::total_charge() const
{
    double total = 0.0;
    for (const MoleculeBlock& block : blocks) {
        double molecule = 0.0;
        for (const TopologyAtom& atom : type_of(*this, block).atoms) molecule += atom.charge;
        total += static_cast<double>(block.count) * molecule;
    }
    return total;
}

std::int64_t AtomGroup::size() const
{
    std::int64_t n = 0;
    for (const auto& [begin, end] : ranges) n += end - begin;
    return n;
}

bool AtomGroup::contains(AtomId id) const
{
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), id,
                                        [](AtomId atom, const auto& range) { return atom < range.first; });
    return after != ranges.begin() && id < std::prev(after)->second;
}

} // namespace holon
