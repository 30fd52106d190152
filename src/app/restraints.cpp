#include "restraints.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/io/coordinates.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace holon {

namespace {

constexpr std::array restraint_kinds = {Interaction::position_restraint, Interaction::flat_bottom_restraint};

/// For each molecule type: whether an atom is restrained.
std::vector<std::vector<bool>> restrained_atoms(const Topology& topology)
{
    std::vector<std::vector<bool>> restrained;
    for (const auto& molecule : topology.molecule_types) {
        auto& flags = restrained.emplace_back(molecule.atoms.size());
        for (const auto kind : restraint_kinds)
            for (const auto atom : molecule.interactions[index(kind)].atoms) flags[index(atom)] = true;
    }
    return restrained;
}

/// Whether there is a usable reference for each restrained atom of the system, in order, and no other.
bool fits(const Topology& topology)
{
    constexpr double farthest = 10000.0; // [nm], as in .gro files
    const auto restrained = restrained_atoms(topology);
    std::int64_t wanted = 0;
    for (const auto& block : topology.blocks)
        wanted += block.count * std::ranges::count(restrained[index(block.type)], true);
    AtomId before = -1;
    for (const auto& [id, x] : topology.restraint_references) {
        if (id <= before || id >= topology.n_atoms() || !(x.cwiseAbs().maxCoeff() <= farthest)) return false;
        const auto place = topology.place(id);
        if (!restrained[index(place.molecule_type)][index(place.index)]) return false;
        before = id;
    }
    return static_cast<std::int64_t>(topology.restraint_references.size()) == wanted;
}

} // namespace

std::string read_restraints(const Communicator& comm, const std::string& path, const Topology& topology,
                            const std::string& topology_path)
{
    if (std::ranges::all_of(restraint_kinds,
                            [&](Interaction kind) { return topology.parameters[index(kind)].empty(); }))
        return {};
    if (path.empty())
        throw InputError(
            fmt::format("{}: the topology has position restraints, but there are no reference coordinates. "
                        "Give them with -r (the file of -c will often do).",
                        topology_path));
    std::string text;
    on_root(comm, [&] {
        const auto restrained = restrained_atoms(topology);
        const auto reader = open_coordinates(path);
        if (reader->n_atoms() != topology.n_atoms())
            throw InputError(
                fmt::format("{}: {} atoms, but the topology has {}. Reference coordinates must be those of the "
                            "whole system.",
                            path, reader->n_atoms(), topology.n_atoms()));
        for (auto atoms = reader->next(20000); !atoms.empty(); atoms = reader->next(20000))
            for (const auto& atom : atoms) {
                const auto place = topology.place(atom.id);
                if (!restrained[index(place.molecule_type)][index(place.index)]) continue;
                text += fmt::format("{} {:.17g} {:.17g} {:.17g}\n", atom.id, atom.position[0], atom.position[1],
                                    atom.position[2]);
            }
    });
    comm.broadcast(text);
    return text;
}

void set_restraints(Topology& topology, const std::string& text)
{
    std::istringstream lines(text);
    AtomId id = 0;
    Vec3 x;
    topology.restraint_references.clear();
    while (lines >> id >> x[0] >> x[1] >> x[2]) topology.restraint_references.emplace_back(id, x);
    if (!fits(topology))
        throw InputError("The reference positions of position restraints do not fit the topology that they are stored "
                         "with: the checkpoint is damaged. Use a copy of the file.");
}

} // namespace holon
