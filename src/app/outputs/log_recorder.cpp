#include "log_recorder.hpp"

#include "reports/parallel_report.hpp"
#include "reports/system_report.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/state_hash.hpp>

#include <cstdio>
#include <fmt/format.h>

namespace holon {

LogRecorder::LogRecorder(const Communicator& comm, const RunFolder& folder, const Parameters& parameters,
                         const ShownValues& shown, const StepClocks& clocks, std::int64_t start_step)
    : parameters_(parameters), shown_(shown), clocks_(clocks), start_step_(start_step)
{
    on_root(comm, [&] {
        const auto path = folder.file(log_name);
        if (folder.start_marks().log.bytes > 0)
            file_.emplace(path, folder.start_marks());
        else
            file_.emplace(path);
    });
}

void LogRecorder::describe(const RunInput& input, System& system, const std::optional<MeshReport>& mesh,
                           const std::vector<ConstraintDiagnosis>& diagnoses)
{
    const auto text = system_text(system, mesh, diagnoses);
    if (!file_) return;
    file_->append(text);
    if (start_step_ != parameters_.init_step || input.in_place)
        line(fmt::format("Going on from the checkpoint of step {}", start_step_));
    for (const auto& note : input.notes.texts()) line("Note: " + note);
    line("\nParameters:\n" + effective_mdp(input.settings));
}

void LogRecorder::frame(System&, const Clock& clock)
{
    if (file_)
        file_->progress({.step = clock.step,
                         .first = start_step_,
                         .last = parameters_.endless() ? Progress::no_end : parameters_.last_step(),
                         .seconds = clocks_.wall_seconds()});
}

bool LogRecorder::wants_energies(std::int64_t step) const
{
    return parameters_.nstlog > 0 && step % parameters_.nstlog == 0;
}

void LogRecorder::measured(const Measurement& m)
{
    last_ = m;
    if (file_ && (wants_energies(m.step) || m.step == start_step_))
        file_->energies(m, shown_.energies(m), shown_.further(m));
}

void LogRecorder::warn(std::int64_t count, const std::string& first)
{
    constexpr std::int64_t most = 20;
    if (!file_ || ++n_warnings_ > most) return;
    auto text = "Warning: " + first;
    if (count > 1) text += fmt::format(" ({} more like it)", count - 1);
    if (n_warnings_ == most) text += " No more of these will be shown.";
    line(text);
    std::fprintf(stderr, "holon-md: %s\n", text.c_str());
}

void LogRecorder::mark(OutputMarks& marks) const
{
    if (file_) marks.log = file_->mark(), marks.last_table = file_->last_table();
}

void LogRecorder::finish(const Summary& s, const std::string& statistics, const std::string& remark)
{
    file_->end_progress();
    if (last_) file_->energies(*last_, shown_.energies(*last_), shown_.further(*last_));
    if (parameters_.nstenergy > 0) line(statistics);
    if (!remark.empty()) line(remark);
    file_->timings(s.timings, s.wall_s);
    if (s.load_balance) line(load_text(*s.load_balance));
    if (s.ranks > 1) line(communication_text(*s.communication, s.ranks, s.end_step - s.start_step));
    line(fmt::format("{} at step {} after {:.2f} s: {:.3f} ns/day, state {}", s.status, s.end_step, s.wall_s,
                     s.ns_per_day, state_hash_text(*s.state_hash)));
    file_->finish();
    if (!file_->error().empty()) std::fprintf(stderr, "holon-md: note: %s\n", file_->error().c_str());
}

void LogRecorder::report_failure(const std::string& message)
{
    if (!file_) return;
    file_->end_progress();
    line("Failed: " + message);
}

void LogRecorder::line(const std::string& text)
{
    if (file_) file_->line(text);
}

} // namespace holon
