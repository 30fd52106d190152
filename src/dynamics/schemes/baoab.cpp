#include <holon/core/index.hpp>
#include <holon/dynamics/langevin.hpp>
#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/propagate.hpp>
#include <holon/dynamics/scheme.hpp>

namespace holon {

namespace {

/// Half a step along the geodesics of the constraints: so many steps of RATTLE without forces.
class GeodesicDrift : public Operator {
public:
    explicit GeodesicDrift(const SchemeInput& input) : steps_(input.parameters.geodesic_steps) {}

    bool constrains() const override { return true; }

protected:
    double length(const Clock& clock) const { return 0.5 * clock.dt / static_cast<double>(steps_); } // [ps]

    /// One step of RATTLE but for the projection of the velocities.
    ConstraintResult move(Step& step, double force_factor) const
    {
        auto& system = step.system;
        {
            const auto timer = system.timers.measure(Stage::integrate);
            drift_from_reference(system.atoms, length(step.clock));
        }
        return system.constrain_positions(
            {.step = step.clock.step, .dt = length(step.clock), .force_factor = force_factor});
    }

    static void project(Step& step)
    {
        if (step.system.constraints().empty()) return;
        step.system.update_halo();
        step.system.constrain_velocities({.step = step.clock.step, .dt = step.clock.dt});
    }

    std::int64_t steps_;
};

/// The one that ends the step: its last projection is left to that of the kick after it.
class LastDrift : public GeodesicDrift {
public:
    using GeodesicDrift::GeodesicDrift;

    void apply(Step& step) override
    {
        for (std::int64_t k = 0; k < steps_; ++k) {
            if (k > 0) project(step);
            move(step, 0.0);
        }
    }
};

/// The one that begins it, after the projection of the kick before it. The forces of constraints are what these two
/// take: from the forces, and, in the first step of RATTLE, from the inertia of the atoms.
class FirstDrift : public GeodesicDrift {
public:
    using GeodesicDrift::GeodesicDrift;

    void apply(Step& step) override
    {
        auto& system = step.system;
        auto& atoms = system.atoms;
        const auto& clock = step.clock;
        const double h = length(clock), of_velocities = 2.0 / clock.dt, of_positions = 2.0 / (h * h);
        const bool wants_forces = step.recorder.wants_constraint_forces();
        std::vector<Vec3> forces(wants_forces ? index(atoms.n_owned) : 0);
        const auto add_change = [&](double factor, double unit, const auto& now, const auto& before) {
            for (std::size_t i = 0; i < forces.size(); ++i)
                forces[i] += factor * atoms.mass[i] * to_real(IVec3(now[i] - before[i]), unit);
        };

        const auto kicked = wants_forces ? atoms.v : std::vector<IVec3>{};
        auto result = system.constrain_velocities(
            {.step = clock.step, .dt = clock.dt, .force_factor = clock.measured ? of_velocities : 0.0});
        add_change(of_velocities, velocity_unit, atoms.v, kicked);
        const auto ballistic = wants_forces ? after_drift(atoms, h) : std::vector<IVec3>{};
        const auto moved = move(step, clock.measured ? of_positions : 0.0);
        add_change(of_positions, position_unit, atoms.x, ballistic);
        for (std::size_t k = 0; k < 9; ++k) result.virial[k] += moved.virial[k];
        if (clock.measured) note_virial(step, result);
        if (wants_forces) {
            if (!clock.at_end() && system.health.any_failure()) system.fail_together(clock.step);
            step.recorder.constraint_forces(system, forces);
        }
        for (std::int64_t k = 1; k < steps_; ++k) {
            project(step);
            move(step, 0.0);
        }
        project(step);
    }

private:
    static std::vector<IVec3> after_drift(const Atoms& atoms, double time)
    {
        auto copy = atoms;
        drift(copy, time);
        return copy.x;
    }

    static void note_virial(Step& step, ConstraintResult& result)
    {
        step.system.comm().sum(std::span(result.virial));
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) step.constraint_virial(a, b) = result.virial[index(3 * a + b)].value();
    }
};

/// Friction and noise of a whole step, then the velocities onto the constraints. The heat is booked.
class Bath : public Operator {
public:
    explicit Bath(const SchemeInput& input)
        : seed_(input.parameters.ld_seed), groups_(input.parameters.tc_groups),
          heat_(input.state.declare({.name = "thermostat-work", .role = Role::ledger, .values = {0.0}}))
    {
    }

    void apply(Step& step) override
    {
        auto& system = step.system;
        const auto n = step.clock.step;
        const double dt = step.clock.dt;
        for (auto& group : groups_) group.temperature = group.temperature_at(step.clock.time());
        heat_[0] += kinetic_energy_gained(system.atoms, system.comm(), [&] {
            {
                const auto timer = system.timers.measure(Stage::integrate);
                mix_velocities(system.atoms, groups_, dt, seed_, n);
                system.hold_frozen();
            }
            if (!system.constraints().empty()) system.constrain_velocities({.step = n, .dt = dt});
        });
    }

    double stored_energy() const override { return -heat_[0]; }
    bool constrains() const override { return true; }

private:
    std::uint64_t seed_;
    std::vector<CouplingGroup> groups_; // at the temperatures of the step
    std::span<double> heat_;            // taken up by the system [kJ/mol]
};

/// Langevin dynamics, g-BAOAB: half a kick, half a drift along the constraints, friction and noise, half a drift, half
/// a kick. B. Leimkuhler, C. Matthews, Proc. R. Soc. A 472, 20160138 (2016). Averages over positions have much smaller
/// errors of the step than those of other schemes.
Scheme make(const SchemeInput& input)
{
    using namespace parts;
    auto outside = outside_work(input);
    return sequence(frame(), std::move(outside.note_start), kinetic_energy(1.0), kick(0.5),
                    std::make_unique<FirstDrift>(input), measure(input), std::make_unique<Bath>(input),
                    std::make_unique<LastDrift>(input), std::move(outside.book_work), next_step(input), forces(input),
                    kick(0.5), constrain_velocities(), remove_com_motion(input), checkpoint());
}

} // namespace

SchemeEntry baoab_scheme()
{
    return {"baoab", {.own_bath = true}, make};
}

} // namespace holon
