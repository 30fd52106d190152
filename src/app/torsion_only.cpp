#include "torsion_only.hpp"

#include "first_molecules.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/constraints/torsion_units.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace holon {

namespace {

std::string text_of(std::size_t type, const TorsionOnly& found)
{
    std::string text;
    for (const auto& c : found.constraints)
        text += fmt::format("{} d {} {} {:.17g} {:d}\n", type, c.i, c.j, c.length, c.from_angle);
    for (const auto& unit : found.units) {
        text += fmt::format("{} u {}", type, unit.atoms.size());
        for (const auto a : unit.atoms) text += fmt::format(" {}", a);
        text += "\n";
    }
    for (const auto& [a, area] : found.planes)
        text += fmt::format("{} p {} {} {} {} {:.17g}\n", type, a[0], a[1], a[2], a[3], area);
    return text;
}

std::string note_on(const MoleculeType& molecule, const TorsionOnly& found)
{
    const auto planar = std::ranges::count_if(found.units, &TorsionUnit::planar);
    return fmt::format(
        "constraints = torsion-only: {} has {} rigid units, {} of them planar, {} distances and {} planes "
        "as constraints; ends of angles are moved by up to {:.1f} % to add up",
        molecule.name, found.units.size(), planar, found.constraints.size(), found.planes.size(),
        100.0 * found.worst_angle);
}

} // namespace

std::string make_torsion_only(const Communicator& comm, Topology& topology, const Parameters& parameters,
                              std::span<const AtomRecord> records, const Box& box, Notes& notes)
{
    if (parameters.constraints != ConstraintKind::torsion_only) return {};
    const auto positions = first_molecules(comm, topology, records,
                                           [](const MoleculeType& molecule) { return !molecule.constraints.empty(); });
    std::string text, said;
    on_root(comm, [&] {
        for (std::size_t type = 0; type < positions.size(); ++type) {
            if (positions[type].empty()) continue;
            const auto& molecule = topology.molecule_types[type];
            const auto found = torsion_only(molecule, positions[type], box);
            text += text_of(type, found);
            said += note_on(molecule, found) + "\n";
        }
    });
    comm.broadcast(text);
    comm.broadcast(said);
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);) notes.add(line);
    set_torsion_only(topology, text);
    return text;
}

void set_torsion_only(Topology& topology, const std::string& text)
{
    std::istringstream lines(text);
    std::set<std::size_t> seen;
    std::size_t type = 0;
    char kind = 0;
    const auto fail = [&] {
        throw InputError(fmt::format("There are no such rigid units in molecule type {}.", type));
    };
    while (lines >> type >> kind) {
        if (type >= topology.molecule_types.size()) fail();
        auto& molecule = topology.molecule_types[type];
        if (seen.insert(type).second) molecule.constraints.clear();
        const auto is_atom = [&](std::int32_t a) { return a >= 0 && index(a) < molecule.atoms.size(); };
        if (kind == 'd') {
            Constraint c;
            if (!(lines >> c.i >> c.j >> c.length >> c.from_angle) || !is_atom(c.i) || !is_atom(c.j)) fail();
            molecule.constraints.push_back(c);
        } else if (kind == 'u') {
            std::size_t n = 0;
            if (!(lines >> n) || n > molecule.atoms.size()) fail();
            auto& unit = molecule.torsion_units.emplace_back(n, -1);
            for (auto& a : unit) lines >> a;
            if (!std::ranges::all_of(unit, is_atom)) fail();
        } else {
            PlaneConstraint plane;
            for (auto& a : plane.atoms) lines >> a;
            if (!(lines >> plane.area) || kind != 'p' || !std::ranges::all_of(plane.atoms, is_atom)) fail();
            molecule.planes.push_back(plane);
        }
    }
}

} // namespace holon
