#include "thermostats/redrawing.hpp"

#include <holon/core/index.hpp>
#include <holon/core/random.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/langevin.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace holon {

namespace {

/// Per atom of a molecule type the first atom of its constraint cluster: itself, if it is free.
std::vector<std::int32_t> first_of_cluster(const MoleculeType& molecule, const MoleculeClusters& clusters)
{
    std::vector<std::int32_t> first(molecule.atoms.size());
    std::iota(first.begin(), first.end(), 0);
    for (const auto& cluster : clusters.clusters)
        for (const auto atom : cluster.atoms) first[index(atom)] = cluster.atoms.front();
    for (const auto& settle : molecule.settles)
        for (std::int32_t k = 1; k < 3; ++k) first[index(settle.oxygen + k)] = settle.oxygen;
    return first;
}

} // namespace

Redrawing::Redrawing(const SchemeInput& input)
    : parameters_(input.parameters),
      heat_(input.state.declare({.name = "thermostat-work", .role = Role::ledger, .values = {0.0}}))
{
    const auto clusters = clusters_of(input.topology);
    for (std::size_t type = 0; type < clusters.size(); ++type)
        first_.push_back(first_of_cluster(input.topology.molecule_types[type], clusters[type]));
}

void Redrawing::apply(Step& step)
{
    if (!now(step.clock)) return;
    auto& system = step.system;
    heat_[0] += kinetic_energy_gained(system.atoms, system.comm(), [&] {
        {
            const auto timer = system.timers.measure(Stage::integrate);
            draw(system, system.atoms, step.clock);
            system.hold_frozen();
        }
        system.constrain_velocities({.step = step.clock.step, .dt = step.clock.dt});
        if (!system.constraints().empty() && system.health.any_failure()) system.fail_together(step.clock.step);
    });
}

void Redrawing::draw(const System& system, Atoms& atoms, const Clock& clock) const
{
    const Philox random(parameters_.ld_seed);
    const auto step = static_cast<std::uint64_t>(clock.step);
    std::vector<double> thermal; // sqrt(k T) of each group [u^1/2 nm/ps]
    for (const auto& group : parameters_.tc_groups)
        thermal.push_back(std::sqrt(units::boltzmann * group.temperature_at(clock.time())));
    const auto& places = system.partition().place();
    std::vector<std::size_t> drawn;
    std::vector<AtomId> ids;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
        const auto& place = places[i];
        const auto& group = parameters_.tc_groups[atoms.tc_group[i]];
        const auto first = first_[index(place.molecule_type)][index(place.index)];
        if (!(group.tau > 0.0) || !hit(clock, place.molecule_start + first, group.tau)) continue;
        drawn.push_back(i);
        ids.push_back(atoms.id[i]);
    }
    std::vector<Vec3> deviates(ids.size());
    normal_vectors(random, step, Stream::thermostat, 1, ids, deviates);
    for (std::size_t k = 0; k < drawn.size(); ++k) {
        const auto i = drawn[k];
        const double width = thermal[atoms.tc_group[i]] * std::sqrt(atoms.inverse_mass[i]);
        atoms.v[i] = to_lattice(width * deviates[k], velocity_unit);
    }
}

} // namespace holon
