#include <holon/dynamics/langevin.hpp>
#include <holon/dynamics/parts.hpp>

namespace holon {

namespace {

/// Friction and noise, constrained along the bonds at the start of the step like the forces, for half a step. The heat
/// is what the kinetic energy changes by.
class FrictionAndNoise : public Operator {
public:
    explicit FrictionAndNoise(const SchemeInput& input)
        : parameters_(input.parameters), groups_(input.parameters.tc_groups),
          work_(input.state.declare({.name = "thermostat-work", .role = Role::ledger, .values = {0.0}}))
    {
    }

    void apply(Step& step) override
    {
        auto& system = step.system;
        const auto [n, dt] = std::pair(step.clock.step, step.clock.dt);
        for (auto& group : groups_) group.temperature = group.temperature_at(step.clock.time());
        const auto before = local_kinetic_energy(system.atoms);
        {
            const auto timer = system.timers.measure(Stage::integrate);
            add_friction_and_noise(system.atoms, groups_, dt, parameters_.ld_seed, n);
            system.hold_frozen(Hold::positions_too);
        }
        system.constrain_positions({.step = n, .dt = 0.5 * dt});
        auto heat = FixedSum::from_raw(local_kinetic_energy(system.atoms).raw() - before.raw());
        system.comm().sum(std::span(&heat, 1));
        work_[0] += heat.value();
    }

    double stored_energy() const override { return -work_[0]; }
    bool constrains() const override { return true; }

private:
    const Parameters& parameters_;
    std::vector<CouplingGroup> groups_; // at the temperatures of the step
    std::span<double> work_;            // done on the system [kJ/mol]
};

} // namespace

Part parts::friction_and_noise(const SchemeInput& input)
{
    return std::make_unique<FrictionAndNoise>(input);
}

} // namespace holon
