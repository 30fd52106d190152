#include "outputs.hpp"

#include "reports/run_statistics.hpp"
#include "run_state.hpp"

#include <holon/app/state_gro.hpp>
#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>

#include <filesystem>

namespace holon {

Outputs::Outputs(const RunInput& input, const OutputFolder& folder, System& system, const RunState& state)
    : Outputs(input, folder, system, state, trajectory_info(input, system, state.step))
{
}

Outputs::Outputs(const RunInput& input, const OutputFolder& folder, System& system, const RunState& state,
                 const TrajectoryInfo& trajectory)
    : parameters_(input.settings.parameters), step_(state.step), shown_(system.topology(), parameters_),
      folder_(system.comm(), folder, input.in_place, state.outputs, trajectory, shown_.columns()),
      checkpoint_(input, folder_, system, state, [this] { return marks(); }),
      trajectory_(system.comm(), folder_, trajectory), energies_(system.comm(), folder_, shown_, parameters_.nstenergy),
      log_(system.comm(), folder_, parameters_, shown_, clocks_, state.step), summary_(parameters_, shown_, state.step),
      stop_(parameters_.maxh)
{
    add({&checkpoint_, &trajectory_, &energies_, &log_, &summary_, &stop_});
    on_root(system.comm(), [&] { std::filesystem::remove(folder_.file(summary_name)); }); // of what goes on now
}

OutputMarks Outputs::marks() const
{
    auto marks = folder_.start_marks();
    for (const auto* file : files()) file->mark(marks);
    return marks;
}

/// Why this rank cannot write what it has to; empty, if it can.
std::string Outputs::problem() const
{
    auto text = folder_.problem();
    for (const auto* file : files())
        if (text.empty()) text = file->problem();
    return text;
}

void Outputs::describe(const RunInput& input, System& system, const std::optional<MeshReport>& mesh)
{
    std::vector<ConstraintDiagnosis> diagnoses;
    if (system.comm().root()) diagnoses = diagnose(system.topology());
    summary_.describe(mesh, diagnoses);
    log_.describe(input, system, mesh, diagnoses);
}

void Outputs::start_clocks(System& system)
{
    system.timers = {};
    clocks_.start(system.comm(), checkpoint_);
}

void Outputs::frame(System& system, const Clock& clock)
{
    step_ = clock.step;
    Recorders::frame(system, clock);
}

Votes Outputs::votes() const
{
    auto votes = Recorders::votes();
    votes[Vote::output_failed] = problem().empty() ? 0 : 1;
    return votes;
}

void Outputs::agreed(const Communicator& comm, const Votes& votes)
{
    Recorders::agreed(comm, votes);
    if (votes.yes(Vote::output_failed))
        on_all(comm, [this] {
            if (const auto text = problem(); !text.empty()) throw Failure(text);
        });
}

bool Outputs::stopped() const
{
    return stop_.stopping() && step_ < parameters_.last_step();
}

void Outputs::finish(System& system, const Clock& clock, const std::string& remark)
{
    const auto& comm = system.comm();
    auto costs = clocks_.read(comm, checkpoint_);
    costs.sum_up(comm);
    step_ = clock.step;
    checkpoint_.finish(system, clock);
    trajectory_.finish();
    const auto write_confout = [&] {
        write_state_gro(folder_.file(confout_name), system, run_state(system, clock, {}));
    };
    // Whoever asked for the end may not wait for long: what takes longest comes last then.
    if (!stopped()) write_confout();
    auto summary = summary_.complete(system, costs, step_);
    summary.status = stopped() ? "stopped" : "finished";
    on_root(comm, [&] {
        energies_.finish();
        std::string statistics;
        if (parameters_.nstenergy > 0)
            statistics = add_statistics(folder_.file(energies_name), system, parameters_, summary);
        log_.finish(summary, statistics, remark);
        checkpoint_.finish_marks();
        write_summary(folder_.file(summary_name), summary);
    });
    if (stopped()) write_confout();
}

void Outputs::report_failure(const System& system, const std::string& message)
{
    if (!system.comm().root()) return;
    log_.report_failure(message);
    checkpoint_.finish_marks();
    auto summary = summary_.so_far(system, clocks_.read(system.comm(), checkpoint_), step_);
    summary.status = "failed";
    summary.message = message;
    try {
        write_summary(folder_.file(summary_name), summary);
    } catch (const Failure& second) { // as on a full disk: the first message is the one that matters
        log_.line(second.what());
    }
}

} // namespace holon
