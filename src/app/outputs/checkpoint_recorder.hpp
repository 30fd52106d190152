#pragma once

#include "run_file.hpp"
#include "run_folder.hpp"

#include <holon/app/input.hpp>
#include <holon/dynamics/system.hpp>

#include <functional>
#include <optional>

namespace holon {

/// checkpoint.h5: the state of every `checkpoint-interval` steps and of the last one.
class CheckpointRecorder : public RunFile {
public:
    /// Before any other file changes there is a state that fits what it will be like. `marks` tells how far the other
    /// files are. Collective.
    CheckpointRecorder(const RunInput& input, const RunFolder& folder, const System& system, const RunState& state,
                       std::function<OutputMarks()> marks);

    void checkpoint(System& system, const Clock& clock, bool lent) override;
    void release() override;
    void repartitioned(System& system) override;
    Votes votes() const override;
    void agreed(const Communicator& comm, const Votes& votes) override;
    std::string problem() const override;

    void restart_stats(); // of the steps to come
    CheckpointStats stats();

    /// The state of the last step is there, and on disk. Collective.
    void finish(System& system, const Clock& clock);

    /// When the other files are complete, too. On any rank.
    void finish_marks();

private:
    void submit(System& system, const Clock& clock, bool lent);
    void throw_problems(const Communicator& comm) const;

    std::int64_t interval_;
    std::function<OutputMarks()> marks_;
    std::optional<CheckpointWriter> writer_; // none: no checkpoints are wanted
    std::int64_t last_step_ = -1;            // that has been submitted
};

} // namespace holon
