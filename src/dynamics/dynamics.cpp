#include <holon/dynamics/dynamics.hpp>

#include <holon/core/index.hpp>

#include <algorithm>
#include <limits>

namespace holon {

namespace {

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

/// Flat groups of a start are bent, and Newton's method along the gradients of the start may not come from there to
/// their planes: the matrix of old and new gradients may be singular on the way. So corrections are made one at a time,
/// each along the gradients of where the last has led, whose matrix is positive definite (Gauss and Newton).
void approach_planes(System& system, const Parameters& parameters, std::int64_t step)
{
    const auto& topology = system.topology();
    if (std::ranges::all_of(topology.molecule_types, [](const auto& type) { return type.planes.empty(); })) return;
    constexpr int most = 30;
    constexpr double near = 1e-6;
    Constraints once(topology, system.clusters(), {"settle", "yoneya"}, solver_settings(parameters, system.comm()));
    once.rebuild(system.atoms, directory_of(system.partition()));
    for (int go = 0; go < most; ++go) {
        system.atoms.x_ref = system.atoms.x;
        const auto result = once.project_positions(system.atoms, system.box(), {.step = step});
        system.update_halo();
        if (system.comm().any(!result.failure.empty()) || from_ordered_bits(system.comm().max(result.residual)) < near)
            return;
    }
}

Clock clock_at(std::int64_t step, const Parameters& parameters)
{
    if (scheme_entry(parameters.integrator).traits.minimises) return {.step = step, .dt = 1.0};
    return {.step = step, .start = parameters.tinit, .dt = parameters.dt};
}

} // namespace

void prepare_start(System& system, const Parameters& parameters, std::int64_t step)
{
    auto& atoms = system.atoms;
    if (parameters.gen_vel) generate_velocities(atoms, parameters.gen_temp, parameters.gen_seed);
    if (!parameters.continuation && parameters.comm_mode != CommMode::none) { // as in GROMACS
        remove_com_motion(atoms, parameters.comm_groups.size(), system.comm());
        if (parameters.comm_mode == CommMode::angular)
            remove_rotation(atoms, system.box(), parameters.comm_groups.size(), system.comm());
    }
    system.hold_frozen(Hold::at_start);
    if (parameters.continuation || system.constraints().empty()) return;
    approach_planes(system, parameters, step);
    atoms.x_ref = atoms.x;
    repeat_while_it_helps(system.comm(), [&] { return system.constrain_positions({.step = step}); });
    system.update_halo();
    repeat_while_it_helps(system.comm(),
                          [&] { return system.constrain_velocities({.step = step, .dt = parameters.dt}); });
    if (system.health.any_failure()) system.fail_together(step);
    system.constraint_errors.forget(); // of the way to here
    system.repartition();
}

double distance_from_constraints(System& system, std::int64_t step)
{
    auto before = system.snapshot();
    auto& atoms = system.atoms;
    atoms.x_ref = atoms.x;
    system.constrain_positions({.step = step});
    double longest = 0.0;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i)
        longest = std::max(longest, to_real(IVec3(atoms.x[i] - before.x[i]), position_unit).norm());
    system.restore(std::move(before));
    system.constraint_errors.forget();
    system.health.take_warnings();
    return system.health.take_failure().empty() ? largest(system.comm(), longest) : 0.0;
}

Dynamics::Dynamics(System& system, const Parameters& parameters, std::int64_t step)
    : system_(system), dof_(count_degrees_of_freedom(system.topology(), parameters)),
      scheme_(scheme_entry(parameters.integrator)
                  .make({parameters, dof_, system.state, system.topology(), system.box(),
                         ScalingGroups::count(system.topology(), system.clusters())})),
      clock_(clock_at(step, parameters)), groups_move_(parameters.pcoupl != "no" || parameters.mts()),
      minimises_(scheme_entry(parameters.integrator).traits.minimises)
{
    system.declare_state();
}

void Dynamics::run(std::int64_t last, Recorder& recorder)
{
    clock_.last = last;
    Step step{system_, recorder, scheme_, clock_, groups_move_};
    step.clock.measured = step.clock.totals = true;
    // Minimisation takes steps but no time: what depends on it stays, also where a run goes on, as it is at first.
    system_.time = minimises_ ? clock_.start : clock_.time();
    system_.compute_forces(step.clock.totals);
    while (!step.ended) {
        std::optional<Snapshot> before; // of a step that is to be taken back
        if (step.clock.at_end()) {
            if (system_.health.any_failure()) system_.fail_together(step.clock.step);
            before = system_.snapshot();
        }
        for (auto part = scheme_.begin(); part != scheme_.end() && !step.ended; ++part) (*part)->apply(step);
        if (step.ended && before) system_.restore(std::move(*before));
    }
    clock_ = step.clock;
    verdict_ = step.verdict;
}

void Dynamics::begin_step()
{
    Recorder nobody;
    Step step{system_, nobody, scheme_, clock_, groups_move_};
    step.clock.measured = step.clock.totals = false;
    for (auto part = scheme_.begin(); part != scheme_.end() && !(*part)->constrains(); ++part) (*part)->apply(step);
}

} // namespace holon
