#include "rigid_bodies.hpp"

#include "first_molecules.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/comm/outbox.hpp>
#include <holon/constraints/rigid_shape.hpp>
#include <holon/constraints/solver.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

namespace holon {

namespace {

/// How much a distance in a body may differ from molecule to molecule [nm]: files of three decimals round it by 0.002.
constexpr double same_shape = 0.005;

using AtomList = std::vector<std::int32_t>;

/// The atoms of a group in each molecule type, without virtual sites. They are the same in all molecules of a type.
std::map<std::size_t, AtomList> atoms_in_types(const Topology& topology, const AtomGroup& group)
{
    std::map<std::size_t, AtomList> result;
    for (const auto& block : topology.blocks) {
        const auto& molecule = topology.molecule_types[index(block.type)];
        const auto size = static_cast<AtomId>(molecule.atoms.size());
        for (std::int64_t m = 0; m < block.count; ++m) {
            AtomList atoms;
            for (AtomId a = 0; a < size; ++a)
                if (group.contains(static_cast<AtomId>(block.first_atom + m * size + a)))
                    atoms.push_back(static_cast<std::int32_t>(a));
            for (const auto& site : molecule.virtual_sites) std::erase(atoms, site.atom);
            const auto known = result.try_emplace(index(block.type), atoms).first;
            if (known->second != atoms)
                throw InputError(fmt::format(
                    "rigid-groups: the group {} does not have the same atoms in molecule {} as in others of type {}. "
                    "Name the same atoms of each molecule, or give those that differ a molecule type of their own.",
                    group.name, block.first_molecule + m + 1, molecule.name));
        }
    }
    std::erase_if(result, [](const auto& entry) { return entry.second.empty(); });
    for (const auto& [type, atoms] : result)
        if (atoms.size() == 1)
            throw InputError(fmt::format("rigid-groups: the group {} has one atom only in molecules of type {}. A "
                                         "rigid body has two at least.",
                                         group.name, topology.molecule_types[type].name));
    return result;
}

/// Of all groups, by molecule type.
std::map<std::size_t, std::vector<AtomList>> atoms_of_groups(const Topology& topology,
                                                             const std::vector<AtomGroup>& groups)
{
    std::map<std::size_t, std::vector<AtomList>> result;
    for (const auto& group : groups)
        for (const auto& [type, atoms] : atoms_in_types(topology, group)) result[type].push_back(atoms);
    return result;
}

std::string body_text(std::size_t type, const RigidBody& body)
{
    auto text = fmt::format("{} {} {}", type, body.degrees_of_freedom, body.atoms.size());
    for (const auto atom : body.atoms) text += fmt::format(" {}", atom);
    for (const auto& r : body.shape) text += fmt::format(" {:.17g} {:.17g} {:.17g}", r[0], r[1], r[2]);
    return text + "\n";
}

/// The largest misfit of any molecule to the bodies that groups are. Collective.
double largest_misfit(const Communicator& comm, const Topology& topology,
                      const std::map<std::size_t, std::vector<RigidBody>>& bodies, std::span<const AtomRecord> records,
                      const Box& box)
{
    struct Position {
        AtomId id;
        IVec3 x;
    };
    Outbox<Position> outgoing; // to one rank per molecule
    for (const auto& record : records)
        if (const auto place = topology.place(record.id); bodies.contains(index(place.molecule_type)))
            outgoing.send(static_cast<int>(place.molecule % comm.size()), {record.id, record.x});
    std::map<AtomId, std::vector<IVec3>> molecules; // by first atom
    outgoing.exchange(comm, [&](int, const Position& atom) {
        const auto place = topology.place(atom.id);
        auto& positions = molecules[place.molecule_start];
        positions.resize(topology.molecule_types[index(place.molecule_type)].atoms.size(), IVec3::Zero());
        positions[index(place.index)] = atom.x;
    });
    double largest = 0.0;
    on_all(comm, [&] {
        for (const auto& [start, positions] : molecules) {
            const auto place = topology.place(start);
            for (const auto& body : bodies.at(index(place.molecule_type))) {
                const double error = misfit(body, positions, box);
                largest = std::max(largest, error);
                if (!(error <= same_shape))
                    throw InputError(fmt::format(
                        "rigid-groups: in molecule {} ({}), a distance in the rigid body of atoms {} to {} differs by "
                        "{:.3f} nm from the first such molecule. All molecules of a type have one shape: start from "
                        "coordinates in which they do, or give them types of their own.",
                        place.molecule + 1, topology.molecule_types[index(place.molecule_type)].name,
                        start + body.atoms.front() + 1, start + body.atoms.back() + 1, error));
            }
        }
    });
    std::int64_t bits = ordered_bits(largest);
    return from_ordered_bits(comm.max(bits));
}

} // namespace

std::string find_rigid_bodies(const Communicator& comm, Topology& topology, const Parameters& parameters,
                              std::span<const AtomRecord> records, const Box& box, Notes& notes)
{
    if (!parameters.keeps_bodies()) return {};
    const bool linked = parameters.links_bodies();
    const auto groups = atoms_of_groups(topology, parameters.rigid_groups);
    const auto positions = first_molecules(comm, topology, records, [&](const MoleculeType& molecule) {
        return !molecule.constraints.empty() || groups.contains(index(&molecule - topology.molecule_types.data()));
    });
    std::string of_groups, of_clusters;
    on_root(comm, [&] {
        for (std::size_t type = 0; type < positions.size(); ++type) {
            if (positions[type].empty()) continue;
            auto molecule = topology.molecule_types[type];
            for (const auto& atoms : groups.contains(type) ? groups.at(type) : std::vector<AtomList>()) {
                add_body(molecule, rigid_group(atoms, positions[type], box));
                of_groups += body_text(type, molecule.bodies.back());
            }
            if (!linked) refuse_links(molecule);
            for (const auto& body : rigid_clusters(molecule, positions[type], box)) {
                of_clusters += body_text(type, body);
                add_body(molecule, body);
            }
            if (!linked) continue;
            for (const auto& body : rigid_parts(molecule)) {
                of_clusters += body_text(type, body);
                add_body(molecule, body);
            }
            check_links(molecule, positions[type], box);
        }
    });
    comm.broadcast(of_groups);
    comm.broadcast(of_clusters);
    add_rigid_bodies(topology, of_groups);
    std::map<std::size_t, std::vector<RigidBody>> bodies;
    for (const auto& [type, atoms] : groups) bodies[type] = topology.molecule_types[type].bodies;
    if (!bodies.empty())
        notes.add(fmt::format("rigid-groups: the shape of each is that in the first molecule of its type; distances "
                              "in others differ by up to {:.1e} nm at the start",
                              largest_misfit(comm, topology, bodies, records, box)));
    add_rigid_bodies(topology, of_clusters);
    return of_groups + of_clusters;
}

void add_rigid_bodies(Topology& topology, const std::string& text)
{
    std::istringstream lines(text);
    std::size_t type = 0, n = 0;
    RigidBody body;
    while (lines >> type >> body.degrees_of_freedom >> n) {
        if (type >= topology.molecule_types.size() || n < 2 || n > topology.molecule_types[type].atoms.size())
            throw InputError(fmt::format("There is no molecule type {} with a rigid body of {} atoms.", type, n));
        const auto size = topology.molecule_types[type].atoms.size();
        body.atoms.assign(n, -1);
        body.shape.assign(n, Vec3::Zero());
        for (auto& atom : body.atoms) lines >> atom;
        for (auto& r : body.shape) lines >> r[0] >> r[1] >> r[2];
        if (!lines || body.atoms.front() < 0 || index(body.atoms.back()) >= size ||
            std::ranges::adjacent_find(body.atoms, std::greater_equal{}) != body.atoms.end() ||
            (body.degrees_of_freedom != 5 && body.degrees_of_freedom != 6))
            throw InputError(fmt::format("The rigid body of {} atoms of molecule type {} is not one of its {} atoms.",
                                         n, type, size));
        add_body(topology.molecule_types[type], body);
    }
}

} // namespace holon
