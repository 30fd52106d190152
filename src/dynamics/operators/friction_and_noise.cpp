#include <holon/dynamics/langevin.hpp>
#include <holon/dynamics/parts.hpp>

namespace holon {

namespace {

/// Friction and noise, constrained along the bonds at the start of the step like the forces, for half a step. The heat
/// is what the kinetic energy changes by.
///
/// Velocities of leap-frog are chords of the surface on which constraints keep the atoms, and what leads on from the
/// end of a chord is the part along the surface there. Of a chord of the whole step, or of one that has been changed in
/// its middle, that is another part: (v v)/4 and (v' v' + v'' v'')/16 of the square of the step and of the curvature.
/// So the heat is short of 1/4 of friction x (step x rate of rotation)^2 of what it should be, kT; that is found by
/// projection in one of so many steps, and booked for all of them.
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
        const bool sampled = !system.constraints().empty() && n % interval == 0;
        const auto before = local_energy(step, sampled);
        {
            const auto timer = system.timers.measure(Stage::integrate);
            add_friction_and_noise(system.atoms, groups_, dt, parameters_.ld_seed, n);
            system.hold_frozen(Hold::positions_too);
        }
        system.constrain_positions({.step = n, .dt = 0.5 * dt});
        auto heat = FixedSum::from_raw(local_energy(step, sampled) - before);
        system.comm().sum(std::span(&heat, 1));
        work_[0] += heat.value();
    }

    double stored_energy() const override { return -work_[0]; }
    bool constrains() const override { return true; }

private:
    static constexpr std::int64_t interval = 10; // steps

    /// Kinetic energy of this rank's atoms; if `sampled`, with what is across the surface taken off so many times.
    static int128 local_energy(Step& step, bool sampled)
    {
        auto& system = step.system;
        const auto whole = local_kinetic_energy(system.atoms).raw();
        if (!sampled) return whole;
        auto velocities = system.atoms.v;
        system.update_halo();
        system.constrain_velocities({.step = step.clock.step, .dt = step.clock.dt});
        const auto along = local_kinetic_energy(system.atoms).raw();
        system.atoms.v = std::move(velocities);
        return whole + interval * (along - whole);
    }

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
