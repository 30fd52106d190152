#include "checkpoint_recorder.hpp"

#include "run_state.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>

namespace holon {

CheckpointRecorder::CheckpointRecorder(const RunInput& input, const RunFolder& folder, const System& system,
                                       const RunState& state, std::function<OutputMarks()> marks)
    : interval_(input.settings.parameters.checkpoint_interval), marks_(std::move(marks))
{
    if (interval_ <= 0) return;
    const auto& p = input.settings.parameters;
    const auto path = folder.file(checkpoint_name);
    const CheckpointOptions options{
        .mapping = p.checkpoint_mapping,
        .sync_seconds = p.checkpoint_sync,
        .sync_also = {folder.file(trajectory_name), folder.file(energies_name), folder.file(log_name)}};
    auto marked = state;
    marked.outputs = folder.start_marks();
    if (folder.in_place()) {
        auto contents = *input.checkpoint;
        contents.input = input.stored;
        contents.state = marked;
        writer_ = CheckpointWriter::resume(system.comm(), path, contents, options, system.atoms, system.box());
        writer_->agree(checkpoint_sync_due);
        writer_->submit(marked, system.atoms, system.box());
        writer_->finish();
        throw_problems(system.comm());
        if (system.comm().root()) writer_->mark_outputs(marked.outputs);
    } else {
        writer_ =
            CheckpointWriter::create(system.comm(), path, {input.stored, options}, marked, system.atoms, system.box());
    }
    last_step_ = state.step;
}

void CheckpointRecorder::checkpoint(System& system, const Clock& clock, bool lent)
{
    if (writer_ && clock.step % interval_ == 0) submit(system, clock, lent);
}

void CheckpointRecorder::submit(System& system, const Clock& clock, bool lent)
{
    writer_->submit(run_state(system, clock, marks_()), system.atoms, system.box(), lent);
    last_step_ = clock.step;
}

void CheckpointRecorder::release()
{
    if (writer_) writer_->release();
}

void CheckpointRecorder::repartitioned(System& system)
{
    if (writer_) writer_->repartition(system.atoms);
}

Votes CheckpointRecorder::votes() const
{
    const auto bits = writer_ ? writer_->votes() : 0;
    Votes votes;
    votes[Vote::checkpoint_sync_due] = (bits & checkpoint_sync_due) != 0 ? 1 : 0;
    votes[Vote::checkpoint_sync_busy] = (bits & checkpoint_sync_busy) != 0 ? 1 : 0;
    return votes;
}

void CheckpointRecorder::agreed(const Communicator&, const Votes& votes)
{
    if (writer_)
        writer_->agree((votes.yes(Vote::checkpoint_sync_due) ? std::uint64_t{checkpoint_sync_due} : 0) |
                       (votes.yes(Vote::checkpoint_sync_busy) ? std::uint64_t{checkpoint_sync_busy} : 0));
}

std::string CheckpointRecorder::problem() const
{
    return writer_ ? writer_->error() : std::string();
}

void CheckpointRecorder::throw_problems(const Communicator& comm) const
{
    on_all(comm, [this] {
        if (const auto text = problem(); !text.empty()) throw Failure(text);
    });
}

void CheckpointRecorder::restart_stats()
{
    if (writer_) writer_->restart_stats();
}

CheckpointStats CheckpointRecorder::stats()
{
    return writer_ ? writer_->stats() : CheckpointStats{};
}

void CheckpointRecorder::finish(System& system, const Clock& clock)
{
    if (!writer_) return;
    if (last_step_ != clock.step) submit(system, clock, false);
    writer_->finish();
    throw_problems(system.comm());
}

void CheckpointRecorder::finish_marks()
{
    if (writer_) writer_->mark_outputs(marks_());
}

} // namespace holon
