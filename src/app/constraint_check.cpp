#include "constraint_check.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/constraints/diagnosis.hpp>
#include <holon/core/error.hpp>

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
        if (const auto type = static_cast<std::size_t>(block->type);
            block->count > 0 && !topology.molecule_types[type].constraints.empty())
            first[type] = block->first_atom;
    return first;
}

/// Positions of one molecule of each type that has constraints, on the root; other types have none. Collective.
std::vector<std::vector<IVec3>> gather_molecules(const Communicator& comm, const Topology& topology,
                                                 std::span<const AtomRecord> records)
{
    const auto first = first_atoms(topology);
    std::vector<Message> messages(1);
    Packer pack(messages[0].data);
    for (const auto& record : records) {
        const auto place = topology.place(record.id);
        const auto type = static_cast<std::size_t>(place.molecule_type);
        if (place.molecule_start != first[type]) continue;
        pack.put(static_cast<std::int64_t>(type));
        pack.put(std::int64_t{place.index});
        pack.put(record.x);
    }
    const auto received = comm.exchange(std::move(messages));
    std::vector<std::vector<IVec3>> positions(first.size());
    if (!comm.root()) return positions;
    for (std::size_t type = 0; type < first.size(); ++type)
        if (first[type] >= 0) positions[type].resize(topology.molecule_types[type].atoms.size(), IVec3::Zero());
    for (const auto& message : received)
        for (Unpacker unpack(message.data); !unpack.empty();) {
            const auto type = unpack.get<std::int64_t>(), index = unpack.get<std::int64_t>();
            positions[static_cast<std::size_t>(type)][static_cast<std::size_t>(index)] = unpack.get<IVec3>();
        }
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
