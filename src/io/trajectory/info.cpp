#include <holon/core/index.hpp>
#include <holon/io/trajectory.hpp>

#include <algorithm>

namespace holon {

namespace {

/// Makes room for the longest name of a list.
template <class Named>
void widen(NameColumn& column, const std::vector<Named>& list)
{
    for (const auto& item : list) column.width = std::max(column.width, item.name.size());
}

void add(NameColumn& column, const std::string& name)
{
    column.characters.append(name).append(column.width - name.size(), '\0');
}

} // namespace

PerQuantity<Schedule> schedules_of(const Parameters& p)
{
    PerQuantity<Schedule> schedule;
    schedule[Quantity::position] = {p.nstxout, p.nstxout_compressed};
    schedule[Quantity::velocity] = {p.nstvout};
    schedule[Quantity::force] = {p.nstfout};
    schedule[Quantity::constraint_force] = {p.nstcfout};
    if (schedule[Quantity::position].empty()) schedule[Quantity::position] = {p.nstvout, p.nstfout, p.nstcfout};
    return schedule;
}

std::int64_t trajectory_bytes(const TrajectoryInfo& info, std::int64_t steps)
{
    constexpr std::int64_t stamps = 88; // step, time, edges of the box
    std::int64_t bytes = 0;
    for (const auto q : all_quantities) {
        const bool forces = q == Quantity::force || q == Quantity::constraint_force;
        if (!info.schedule[q].empty())
            bytes += info.schedule[q].most(steps) * (stamps + info.atoms * (forces || info.double_precision ? 24 : 12));
    }
    return bytes;
}

void describe_atoms(const Topology& topology, TrajectoryInfo& info)
{
    const bool elements_known =
        std::ranges::all_of(topology.atom_types, [](const AtomType& t) { return t.atomic_number >= 0; });
    for (const auto& molecule : topology.molecule_types) {
        widen(info.name, molecule.atoms);
        widen(info.residue_name, molecule.residues);
    }
    std::int32_t residues = 0;
    for (const auto& block : topology.blocks) {
        const auto& molecule = topology.molecule_types[index(block.type)];
        const auto bonds = molecule.distinct_bonds();
        const auto size = static_cast<AtomId>(molecule.atoms.size());
        for (std::int64_t m = 0; m < block.count; ++m) {
            const auto first = block.first_atom + static_cast<AtomId>(m) * size;
            for (const auto& atom : molecule.atoms) {
                info.species.push_back(elements_known ? topology.atom_types[index(atom.type)].atomic_number
                                                      : atom.type);
                info.mass.push_back(atom.mass);
                info.charge.push_back(atom.charge);
                info.residue.push_back(residues + atom.residue);
                add(info.name, atom.name);
            }
            for (const auto& residue : molecule.residues) add(info.residue_name, residue.name);
            residues += static_cast<std::int32_t>(molecule.residues.size());
            for (const auto& [i, j] : bonds) info.bonds.push_back({first + i, first + j});
        }
    }
}

} // namespace holon
