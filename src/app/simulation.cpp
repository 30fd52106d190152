#include <holon/app/simulation.hpp>

#include <holon/core/units.hpp>
#include <holon/integrators/langevin.hpp>
#include <holon/integrators/propagate.hpp>
#include <holon/integrators/v_rescale.hpp>

#include <cmath>
#include <limits>

namespace holon {

namespace {

constexpr const char* work_name = "thermostat-work"; // in RunState

/// A start may be far from its constraints, and a solver of fixed length needs more than one go to get there.
template <class Project>
void repeat_while_it_helps(const Communicator& comm, Project project)
{
    constexpr int most = 20;
    constexpr double gain = 0.5;
    auto before = std::numeric_limits<double>::infinity();
    for (int go = 0; go < most; ++go) {
        const double left = from_ordered_bits(comm.max(project().residual));
        if (!(left < gain * before)) return;
        before = left;
    }
}

} // namespace

bool settle_in(Engine& engine, Outputs& outputs, std::int64_t step)
{
    const auto votes = engine.vote(outputs.votes());
    if (votes.failed != 0) engine.fail_together(step);
    outputs.agreed(engine.comm(), votes);
    if (votes.warned != 0) {
        const auto [count, first] = engine.take_warnings();
        outputs.warn(count, first);
    }
    if (engine.stale(votes)) {
        engine.repartition();
        outputs.repartitioned(engine);
    } else {
        engine.start_halo_update();
    }
    return votes.stop == 0;
}

Simulation::Simulation(Engine& engine, const Parameters& parameters, const RunState& state, Outputs& outputs)
    : engine_(engine), parameters_(parameters), outputs_(outputs), scheme_(scheme_of(parameters.integrator)),
      dof_(count_degrees_of_freedom(engine.topology(), parameters)), step_(state.step),
      thermostat_work_(state.has(work_name) ? state.real(work_name) : 0.0)
{
}

double Simulation::time() const
{
    return parameters_.tinit + static_cast<double>(step_) * parameters_.dt;
}

RunState Simulation::state() const
{
    RunState state;
    state.step = step_;
    state.time = time();
    state.box = engine_.box().master();
    state.set(work_name, thermostat_work_);
    return state;
}

void Simulation::prepare_start(Engine& engine, const Parameters& parameters, std::int64_t step)
{
    auto& atoms = engine.atoms;
    if (parameters.gen_vel) {
        generate_velocities(atoms, parameters.gen_temp, parameters.gen_seed);
        if (parameters.comm_mode != CommMode::none)
            remove_com_motion(atoms, parameters.comm_groups.size(), engine.comm());
    }
    if (parameters.continuation || engine.constraints().empty()) return;
    atoms.x_ref = atoms.x;
    repeat_while_it_helps(engine.comm(), [&] { return engine.constrain_positions({.step = step}); });
    engine.update_halo();
    repeat_while_it_helps(engine.comm(),
                          [&] { return engine.constrain_velocities({.step = step, .dt = parameters.dt}); });
    if (engine.any_failure()) engine.fail_together(step);
    engine.forget_constraint_errors(); // of the way to here
    engine.repartition();
}

void Simulation::run(std::int64_t last)
{
    bool measured = true;
    engine_.compute_forces(measured);
    for (;;) {
        outputs_.frame(engine_, step_, time());
        // The last step is taken like any other to measure constraint forces and kinetic energies, and then undone.
        const bool at_end = step_ == last;
        const auto kept_v = at_end ? engine_.atoms.v : std::vector<IVec3>{};
        const double kept_work = thermostat_work_;

        if (scheme_.thermostat_first) apply_thermostat();
        const auto before = measured ? kinetic() : Kinetic{};
        first_half();
        const double force_factor = measured ? scheme_.constraint_force / (parameters_.dt * parameters_.dt) : 0.0;
        const bool frame_waits = outputs_.frame_waits_for_constraint_forces();
        const auto unconstrained = frame_waits ? engine_.atoms.x : std::vector<IVec3>{};
        const auto constrained =
            engine_.constrain_positions({.step = step_,
                                         .dt = parameters_.dt,
                                         .force_factor = force_factor,
                                         .motion = at_end ? StepMotion::undone : StepMotion::continued});
        if (measured) measure(before, constrained);
        if (frame_waits) write_constraint_forces(unconstrained);
        if (at_end) {
            if (engine_.any_failure()) engine_.fail_together(step_);
            std::swap(engine_.atoms.x, engine_.atoms.x_ref);
            engine_.atoms.v = kept_v;
            thermostat_work_ = kept_work;
            return;
        }
        if (scheme_.friction) exchange_heat();

        ++step_;
        if (!settle_in(engine_, outputs_, step_)) last = step_; // asked to stop
        measured = step_ == last || outputs_.wants_energies(step_);
        // A state that needs no more forces is written while they are computed.
        const bool complete = scheme_.second_kick == 0.0;
        if (complete) {
            second_half();
            checkpoint(true);
        }
        engine_.compute_forces(measured);
        if (complete) {
            const auto timer = engine_.timers.measure(Stage::checkpoint);
            outputs_.release_atoms();
        } else {
            second_half();
            checkpoint(false);
        }
    }
}

void Simulation::checkpoint(bool lent)
{
    const auto timer = engine_.timers.measure(Stage::checkpoint);
    outputs_.checkpoint(engine_, state(), lent);
}

void Simulation::apply_thermostat()
{
    const auto interval = parameters_.nsttcouple;
    if (parameters_.tcoupl == Thermostat::no || step_ % interval != 0) return;
    const auto timer = engine_.timers.measure(Stage::integrate);
    auto& atoms = engine_.atoms;
    const auto energies = group_kinetic_energies(atoms, parameters_.tc_groups.size(), engine_.comm());
    std::vector<double> scale(energies.size(), 1.0);
    for (std::size_t g = 0; g < energies.size(); ++g) {
        const auto& group = parameters_.tc_groups[g];
        if (group.tau < 0.0 || dof_.per_group[g] <= 0.0 || energies[g] <= 0.0) continue;
        const double target = 0.5 * dof_.per_group[g] * units::boltzmann * group.temperature;
        const double wanted = rescaled_kinetic_energy(energies[g], target, dof_.per_group[g],
                                                      static_cast<double>(interval) * parameters_.dt, group.tau,
                                                      parameters_.ld_seed, step_, static_cast<std::uint32_t>(g));
        scale[g] = std::sqrt(wanted / energies[g]);
        thermostat_work_ += wanted - energies[g];
    }
    scale_velocities(atoms, scale);
}

/// Friction and noise, constrained along the bonds at the start of the step like the forces, for half a step.
void Simulation::exchange_heat()
{
    const double dt = parameters_.dt;
    const auto before = local_kinetic_energy(engine_.atoms);
    {
        const auto timer = engine_.timers.measure(Stage::integrate);
        add_friction_and_noise(engine_.atoms, parameters_.tc_groups, dt, parameters_.ld_seed, step_);
    }
    engine_.constrain_positions({.step = step_, .dt = 0.5 * dt});
    auto heat = FixedSum::from_raw(local_kinetic_energy(engine_.atoms).raw() - before.raw());
    engine_.comm().sum(std::span(&heat, 1));
    thermostat_work_ += heat.value();
}

void Simulation::first_half()
{
    const auto timer = engine_.timers.measure(Stage::integrate);
    kick(engine_.atoms, scheme_.first_kick * parameters_.dt);
    drift_from_reference(engine_.atoms, parameters_.dt);
}

void Simulation::second_half()
{
    const double dt = scheme_.second_kick * parameters_.dt;
    if (dt > 0.0) {
        {
            const auto timer = engine_.timers.measure(Stage::integrate);
            kick(engine_.atoms, dt);
        }
        engine_.constrain_velocities({.step = step_, .dt = parameters_.dt, .motion = StepMotion::continued});
        if (!engine_.constraints().empty() && engine_.any_failure()) engine_.fail_together(step_);
    }
    if (!scheme_.thermostat_first) apply_thermostat();
    if (parameters_.comm_mode != CommMode::none && parameters_.nstcomm > 0 && step_ % parameters_.nstcomm == 0)
        remove_com_motion(engine_.atoms, parameters_.comm_groups.size(), engine_.comm());
}

Simulation::Kinetic Simulation::kinetic() const
{
    const Mat3 tensor = kinetic_tensor(engine_.atoms, engine_.comm());
    return {tensor.trace(), tensor};
}

void Simulation::measure(const Kinetic& before, const ConstraintResult& constrained)
{
    Kinetic at_step = before;
    if (scheme_.half_step_kinetic) {
        const auto after = kinetic();
        at_step = {0.5 * (before.total + after.total), 0.5 * (before.tensor + after.tensor)};
    }
    auto constraint_virial = constrained.virial;
    engine_.comm().sum(std::span(constraint_virial));

    Measurement m;
    m.step = step_;
    m.time = time();
    m.forces = engine_.totals();
    m.kinetic = at_step.total;
    m.conserved = m.forces.potential + m.kinetic - thermostat_work_;
    m.temperature = dof_.total > 0.0 ? 2.0 * m.kinetic / (dof_.total * units::boltzmann) : 0.0;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            m.virial(a, b) = m.forces.virial(a, b) + constraint_virial[static_cast<std::size_t>(3 * a + b)].value();
    m.pressure = pressure_tensor(at_step.tensor, m.virial, engine_.box().volume());
    outputs_.measured(m);
}

/// Completes the frame of this step; `unconstrained`: the positions before they were constrained.
void Simulation::write_constraint_forces(const std::vector<IVec3>& unconstrained)
{
    if (engine_.any_failure()) engine_.fail_together(step_);
    const auto& atoms = engine_.atoms;
    const double factor = scheme_.constraint_force / (parameters_.dt * parameters_.dt);
    std::vector<Vec3> forces(static_cast<std::size_t>(atoms.n_owned));
    for (std::size_t i = 0; i < forces.size(); ++i)
        forces[i] = factor * atoms.mass[i] * to_real(IVec3(atoms.x[i] - unconstrained[i]), position_unit);
    outputs_.constraint_forces(engine_, forces);
}

} // namespace holon
