#include "thermostats/rescaling.hpp"

#include <holon/core/units.hpp>
#include <holon/dynamics/propagate.hpp>

#include <cmath>

namespace holon {

Rescaling::Rescaling(const SchemeInput& input)
    : parameters_(input.parameters), dof_(input.dof.per_group),
      work_(input.state.declare({.name = "thermostat-work", .role = Role::ledger, .values = {0.0}}))
{
}

void Rescaling::apply(Step& step)
{
    auto& system = step.system;
    const auto timer = system.timers.measure(Stage::integrate);
    const double interval = static_cast<double>(parameters_.nsttcouple) * step.clock.dt;
    const auto energies = group_kinetic_energies(system.atoms, dof_.size(), system.comm());
    std::vector<double> scale(energies.size(), 1.0);
    for (std::size_t g = 0; g < energies.size(); ++g) {
        const auto& group = parameters_.tc_groups[g];
        if (group.tau < 0.0 || dof_[g] <= 0.0 || energies[g] <= 0.0) continue;
        const double target = 0.5 * dof_[g] * units::boltzmann * group.temperature_at(step.clock.time());
        const double after = wanted({g, energies[g], target, dof_[g], group.tau}, interval, step.clock.step);
        scale[g] = std::sqrt(after / energies[g]);
        work_[0] += after - energies[g];
    }
    scale_velocities(system.atoms, scale);
}

} // namespace holon
