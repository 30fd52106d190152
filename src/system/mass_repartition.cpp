#include <holon/system/mass_repartition.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace holon {

namespace {

/// Of each atom of a molecule type: the atoms with a mass that it is bound to.
std::vector<std::vector<std::int32_t>> bound_atoms(const MoleculeType& molecule)
{
    std::vector<std::vector<std::int32_t>> bound(molecule.atoms.size());
    for (const auto& [i, j] : molecule.distinct_bonds()) {
        if (molecule.atoms[index(i)].mass == 0.0 || molecule.atoms[index(j)].mass == 0.0) continue;
        bound[index(i)].push_back(j);
        bound[index(j)].push_back(i);
    }
    return bound;
}

} // namespace

void repartition_masses(Topology& topology, double factor, const std::string& key, Notes& notes)
{
    if (factor <= 1.0) return;
    double smallest = std::numeric_limits<double>::infinity();
    for (const auto& block : topology.blocks)
        for (const auto& atom : topology.molecule_types[index(block.type)].atoms)
            if (atom.mass > 0.0 && block.count > 0) smallest = std::min(smallest, atom.mass);
    const double least = factor * smallest;
    std::int64_t unbound = 0;
    for (auto& molecule : topology.molecule_types) {
        const auto bound = bound_atoms(molecule);
        auto masses = molecule.atoms;
        const auto place = [&molecule](std::size_t i) {
            return fmt::format("atom {} ({}) of molecule {}", i + 1, molecule.atoms[i].name, molecule.name);
        };
        for (std::size_t i = 0; i < masses.size(); ++i) {
            const double mass = molecule.atoms[i].mass;
            if (mass == 0.0 || mass >= least) continue;
            if (bound[i].empty()) {
                ++unbound;
                continue;
            }
            if (bound[i].size() > 1)
                throw InputError(fmt::format("{}: {}, {} u, is bound to {} atoms: there is no one atom to take mass "
                                             "from. Use a smaller factor.",
                                             key, place(i), mass, bound[i].size()));
            masses[i].mass = least;
            masses[index(bound[i].front())].mass -= least - mass;
        }
        for (std::size_t i = 0; i < masses.size(); ++i)
            if (molecule.atoms[i].mass >= least && masses[i].mass < least)
                throw InputError(fmt::format("{}: {} would be left with {:.4g} u, less than the {:.4g} u of the atoms "
                                             "that take from it. Use a smaller factor.",
                                             key, place(i), masses[i].mass, least));
        molecule.atoms = std::move(masses);
    }
    if (unbound > 0)
        notes.add(fmt::format("{}: light atoms in {} places are bound to no other and stay light", key, unbound));
}

} // namespace holon
