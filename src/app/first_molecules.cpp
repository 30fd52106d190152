#include "first_molecules.hpp"

#include <holon/comm/outbox.hpp>
#include <holon/core/index.hpp>

namespace holon {

std::vector<std::vector<IVec3>> first_molecules(const Communicator& comm, const Topology& topology,
                                                std::span<const AtomRecord> records,
                                                const std::function<bool(const MoleculeType&)>& wanted)
{
    std::vector<AtomId> first(topology.molecule_types.size(), -1);
    for (auto block = topology.blocks.rbegin(); block != topology.blocks.rend(); ++block)
        if (const auto type = index(block->type); block->count > 0 && wanted(topology.molecule_types[type]))
            first[type] = block->first_atom;
    struct Position {
        std::size_t type, atom;
        IVec3 x;
    };
    Outbox<Position> to_root;
    for (const auto& record : records) {
        const auto place = topology.place(record.id);
        const auto type = index(place.molecule_type);
        if (place.molecule_start == first[type]) to_root.send(0, {type, index(place.index), record.x});
    }
    std::vector<std::vector<IVec3>> positions(first.size());
    for (std::size_t type = 0; comm.root() && type < first.size(); ++type)
        if (first[type] >= 0) positions[type].resize(topology.molecule_types[type].atoms.size(), IVec3::Zero());
    to_root.exchange(comm, [&](int, const Position& atom) { positions[atom.type][atom.atom] = atom.x; });
    return positions;
}

} // namespace holon
