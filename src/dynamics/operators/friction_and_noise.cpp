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
/// projection in one of so many steps, and booked for all of them: the mean of what the noise does and what the
/// opposite noise would do, for the most of either is the opposite of the other, nothing on average, and would be
/// booked so many times.
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
        const auto n = step.clock.step;
        for (auto& group : groups_) group.temperature = group.temperature_at(step.clock.time());
        const bool sampled = !system.constraints().empty() && n % interval == 0;
        int128 across = 0; // of interval / 2 pairs of noise and opposite noise
        if (sampled) {
            const auto before = energy_across(step);
            auto start = system.snapshot();
            act(step, -1.0);
            across = energy_across(step) - 2 * before;
            system.restore(std::move(start));
        }
        const auto whole = local_kinetic_energy(system.atoms).raw();
        act(step, 1.0);
        auto heat = local_kinetic_energy(system.atoms).raw() - whole;
        if (sampled) heat -= interval / 2 * (across + energy_across(step));
        auto sum = FixedSum::from_raw(heat);
        system.comm().sum(std::span(&sum, 1));
        work_[0] += sum.value();
    }

    double stored_energy() const override { return -work_[0]; }
    bool constrains() const override { return true; }

private:
    static constexpr std::int64_t interval = 20; // steps, even

    void act(Step& step, double sign)
    {
        auto& system = step.system;
        const auto [n, dt] = std::pair(step.clock.step, step.clock.dt);
        {
            const auto timer = system.timers.measure(Stage::integrate);
            add_friction_and_noise(system.atoms, groups_, dt, parameters_.ld_seed, n, sign);
            system.hold_frozen(Hold::positions_too);
        }
        system.constrain_positions({.step = n, .dt = 0.5 * dt});
    }

    /// Kinetic energy of this rank's atoms across the surface.
    static int128 energy_across(Step& step)
    {
        auto& system = step.system;
        const auto whole = local_kinetic_energy(system.atoms).raw();
        auto velocities = system.atoms.v;
        system.update_halo();
        system.constrain_velocities({.step = step.clock.step, .dt = step.clock.dt});
        const auto along = local_kinetic_energy(system.atoms).raw();
        system.atoms.v = std::move(velocities);
        return whole - along;
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
