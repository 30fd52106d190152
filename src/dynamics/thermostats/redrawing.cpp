#include "thermostats/redrawing.hpp"

#include <holon/core/index.hpp>
#include <holon/core/random.hpp>
#include <holon/core/units.hpp>
#include <holon/dynamics/langevin.hpp>

#include <algorithm>
#include <cmath>

namespace holon {

Redrawing::Redrawing(const SchemeInput& input, std::unique_ptr<Draws> draws)
    : parameters_(input.parameters), draws_(std::move(draws)),
      heat_(input.state.declare({.name = "thermostat-work", .role = Role::ledger, .values = {0.0}}))
{
}

void Redrawing::apply(Step& step)
{
    if (!draws_->any_at(step.clock.step)) return;
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
    const auto& drawn = draws_->at(system, clock.step);
    std::vector<AtomId> ids;
    for (const auto i : drawn) ids.push_back(atoms.id[i]);
    std::vector<Vec3> deviates(ids.size());
    normal_vectors(random, step, Stream::thermostat, 1, ids, deviates);
    for (std::size_t k = 0; k < drawn.size(); ++k) {
        const auto i = drawn[k];
        const double width = thermal[atoms.tc_group[i]] * std::sqrt(atoms.inverse_mass[i]);
        atoms.v[i] = to_lattice(width * deviates[k], velocity_unit);
    }
}

} // namespace holon
