#include "summary_recorder.hpp"

#include "reports/parallel_report.hpp"

#include <holon/dynamics/scheme.hpp>

#include <span>

namespace holon {

namespace {

/// Of all ranks. Collective.
NamedValues mean_timings(const Communicator& comm, const std::array<double, stage_count>& seconds)
{
    std::vector<std::int64_t> nanoseconds;
    for (const double s : seconds) nanoseconds.push_back(static_cast<std::int64_t>(s * 1e9));
    comm.sum(std::span(nanoseconds));
    NamedValues timings;
    for (std::size_t k = 0; k < stage_count; ++k)
        timings.emplace_back(stage_keys[k], static_cast<double>(nanoseconds[k]) * 1e-9 / comm.size());
    return timings;
}

} // namespace

void SummaryRecorder::measured(const Measurement& m)
{
    if (!first_) first_ = m;
    last_ = m;
}

void SummaryRecorder::describe(const std::optional<MeshReport>& mesh, const std::vector<ConstraintDiagnosis>& diagnoses)
{
    mesh_ = mesh;
    diagnoses_ = diagnoses;
}

Summary SummaryRecorder::so_far(const System& system, const StepCosts& costs, std::int64_t step) const
{
    Summary s;
    s.program = "holon-md";
    s.version = HOLON_VERSION;
    add_parallel(s, system.comm().size());
    s.domains = system.partition().grid().n();
    s.atoms = system.topology().n_atoms();
    s.constraints = system.topology().n_constraints();
    s.virtual_sites = system.topology().n_virtual_sites();
    s.start_step = start_step_;
    s.end_step = step;
    s.wall_s = costs.wall_s;
    s.cpu_s = costs.cpu_s;
    s.checkpoint = costs.checkpoint;
    const double ns = 1e-3 * static_cast<double>(step - start_step_) * parameters_.dt; // of simulated time
    if (s.wall_s > 0.0 && !scheme_entry(parameters_.integrator).traits.minimises)
        s.ns_per_day = ns * 86400.0 / s.wall_s;
    if (first_) s.initial = shown_.report(*first_);
    if (last_) s.final = shown_.report(*last_);
    s.mesh = mesh_;
    s.constraint_sets = diagnoses_;
    return s;
}

Summary SummaryRecorder::complete(System& system, const StepCosts& costs, std::int64_t step) const
{
    auto s = so_far(system, costs, step);
    s.state_hash = system.hash();
    s.constraint_length_error = system.constraint_errors.length();
    s.constraint_velocity_error = system.constraint_errors.velocity();
    s.constraint_iterations = system.constraint_errors.iterations();
    s.timings = mean_timings(system.comm(), system.timers.seconds());
    s.cpu_timings = mean_timings(system.comm(), system.timers.cpu_seconds());
    s.load_balance = load_report(system);
    s.communication = communication_report(system, costs.reductions);
    return s;
}

} // namespace holon
