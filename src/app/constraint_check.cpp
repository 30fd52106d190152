#include "constraint_check.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/comm/outbox.hpp>
#include <holon/constraints/diagnosis.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace holon {

namespace {

/// Per molecule type the first atom of its first molecule; -1: it has no constraints, or is not in the system.
std::vector<AtomId> first_atoms(const Topology& topology)
{
    std::vector<AtomId> first(topology.molecule_types.size(), -1);
    for (auto block = topology.blocks.rbegin(); block != topology.blocks.rend(); ++block)
        if (const auto type = index(block->type);
            block->count > 0 && !topology.molecule_types[type].constraints.empty())
            first[type] = block->first_atom;
    return first;
}

/// Positions of one molecule of each type that has constraints, on the root; other types have none. Collective.
std::vector<std::vector<IVec3>> gather_molecules(const Communicator& comm, const Topology& topology,
                                                 std::span<const AtomRecord> records)
{
    const auto first = first_atoms(topology);
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

} // namespace

std::string leave_out_implied_constraints(const Communicator& comm, Topology& topology,
                                          std::span<const AtomRecord> records, const Box& box)
{
    const auto positions = gather_molecules(comm, topology, records);
    std::string text;
    on_root(comm, [&] {
        for (std::size_t type = 0; type < positions.size(); ++type) {
            if (positions[type].empty()) continue;
            for (const auto& [c, length] : implied_constraints(topology.molecule_types[type], positions[type], box))
                text += fmt::format("{} {} {} {:.17g}\n", type, c.i, c.j, length);
        }
    });
    comm.broadcast(text);
    leave_out_constraints(topology, text);
    return text;
}

void leave_out_constraints(Topology& topology, const std::string& text)
{
    std::istringstream lines(text);
    std::size_t type = 0;
    ImpliedConstraint implied;
    while (lines >> type >> implied.constraint.i >> implied.constraint.j >> implied.length) {
        if (type >= topology.molecule_types.size())
            throw InputError(fmt::format("There is no molecule type {} to leave a constraint out of.", type));
        leave_out(topology.molecule_types[type], {implied});
    }
}

} // namespace holon
