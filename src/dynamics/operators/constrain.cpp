#include <holon/core/index.hpp>
#include <holon/dynamics/langevin.hpp>
#include <holon/dynamics/parts.hpp>

namespace holon {

namespace {

class ConstrainPositions : public Operator {
public:
    explicit ConstrainPositions(double kick_fraction) : kick_fraction_(kick_fraction) {}

    void apply(Step& step) override
    {
        auto& system = step.system;
        const auto& clock = step.clock;
        const double factor = 1.0 / kick_fraction_ / (clock.dt * clock.dt);
        const bool wants_forces = step.recorder.wants_constraint_forces();
        const auto unconstrained = wants_forces ? system.atoms.x : std::vector<IVec3>{};
        const auto result = system.constrain_positions({.step = clock.step,
                                                        .dt = clock.dt,
                                                        .force_factor = clock.measured ? factor : 0.0,
                                                        .motion = StepMotion::continued});
        if (clock.measured) note_virial(step, result);
        if (wants_forces) tell_forces(step, unconstrained, factor);
    }

    bool constrains() const override { return true; }

private:
    static void note_virial(Step& step, const ConstraintResult& result)
    {
        auto virial = result.virial;
        step.system.comm().sum(std::span(virial));
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) step.constraint_virial(a, b) = virial[index(3 * a + b)].value();
    }

    static void tell_forces(Step& step, const std::vector<IVec3>& unconstrained, double factor)
    {
        auto& system = step.system;
        if (!step.clock.at_end() && system.health.any_failure()) system.fail_together(step.clock.step);
        const auto& atoms = system.atoms;
        std::vector<Vec3> forces(index(atoms.n_owned));
        for (std::size_t i = 0; i < forces.size(); ++i)
            forces[i] = factor * atoms.mass[i] * to_real(IVec3(atoms.x[i] - unconstrained[i]), position_unit);
        step.recorder.constraint_forces(system, forces);
    }

    double kick_fraction_;
};

class ConstrainVelocities : public Operator {
public:
    void apply(Step& step) override
    {
        auto& system = step.system;
        system.constrain_velocities({.step = step.clock.step, .dt = step.clock.dt, .motion = StepMotion::continued});
        if (!system.constraints().empty() && system.health.any_failure()) system.fail_together(step.clock.step);
    }

    bool constrains() const override { return true; }
};

/// Velocities that a thermostat has scaled by groups which cut clusters. The work is the thermostat's.
class ConstrainCoupledVelocities : public ConstrainVelocities {
public:
    explicit ConstrainCoupledVelocities(const SchemeInput& input)
        : every_(input.parameters.nsttcouple),
          work_(input.state.declare({.name = "constrained-work", .role = Role::ledger, .values = {0.0}}))
    {
    }

    void apply(Step& step) override
    {
        if (step.clock.step % every_ != 0) return;
        auto& system = step.system;
        work_[0] += kinetic_energy_gained(system.atoms, system.comm(), [&] { ConstrainVelocities::apply(step); });
    }
    double stored_energy() const override { return -work_[0]; }

private:
    std::int64_t every_;
    std::span<double> work_; // done on the system [kJ/mol]
};

} // namespace

Part parts::constrain_positions(double kick_fraction)
{
    return std::make_unique<ConstrainPositions>(kick_fraction);
}

Part parts::constrain_velocities()
{
    return std::make_unique<ConstrainVelocities>();
}

Part parts::constrain_coupled_velocities(const SchemeInput& input)
{
    const auto& p = input.parameters;
    if (p.tcoupl == "no" || !groups_share_clusters(input.topology, p.tc_groups)) return nullptr;
    return std::make_unique<ConstrainCoupledVelocities>(input);
}

} // namespace holon
