#include "constraint_check.hpp"

#include "first_molecules.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/constraints/diagnosis.hpp>
#include <holon/core/error.hpp>

#include <fmt/format.h>

#include <sstream>

namespace holon {

std::string leave_out_implied_constraints(const Communicator& comm, Topology& topology,
                                          std::span<const AtomRecord> records, const Box& box)
{
    const auto positions = first_molecules(comm, topology, records,
                                           [](const MoleculeType& molecule) { return !molecule.constraints.empty(); });
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
