#include <holon/dynamics/langevin.hpp>
#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/scheme.hpp>

#include <holon/core/error.hpp>

namespace holon {

namespace {

/// Velocities that take the atoms to the end of the step.
class BrownianVelocities : public Operator {
public:
    explicit BrownianVelocities(const SchemeInput& input)
        : seed_(input.parameters.ld_seed), groups_(input.parameters.tc_groups)
    {
    }

    void apply(Step& step) override
    {
        const auto timer = step.system.timers.measure(Stage::integrate);
        for (auto& group : groups_) group.temperature = group.temperature_at(step.clock.time());
        set_brownian_velocities(step.system.atoms, groups_, step.clock.dt, seed_, step.clock.step);
        step.system.hold_frozen();
    }

private:
    std::uint64_t seed_;
    std::vector<CouplingGroup> groups_; // at the temperatures of the step
};

/// Brownian dynamics, Langevin dynamics without inertia: D. L. Ermak, J. A. McCammon, J. Chem. Phys. 69, 1352 (1978)
/// without hydrodynamic interactions, x' = x + dt f / friction + sqrt(2 k T dt / friction) xi. The velocities are those
/// of the displacements, and masses are half the friction times dt: they then make constraints act in the metric of the
/// friction, and the kinetic energy is that of the temperature, as in GROMACS, if the step is short enough.
Scheme make(const SchemeInput& input)
{
    using namespace parts;
    return sequence(frame(), std::make_unique<BrownianVelocities>(input), drift(1.0), constrain_positions(0.5),
                    kinetic_energy(1.0), measure(input), next_step(input), checkpoint_during(forces(input)));
}

double mass(const Parameters& parameters, double physical, const CouplingGroup* group)
{
    if (parameters.bd_fric > 0.0) return 0.5 * parameters.bd_fric * parameters.dt;
    HOLON_ASSERT(group != nullptr, "every atom is in a group");
    return 0.5 * physical / group->tau * parameters.dt;
}

} // namespace

SchemeEntry bd_scheme()
{
    return {
        .name = "bd", .traits = {.own_bath = true, .half_step = true, .momentum = false}, .make = make, .mass = mass};
}

} // namespace holon
