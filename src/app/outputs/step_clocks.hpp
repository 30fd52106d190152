#pragma once

#include "checkpoint_recorder.hpp"

#include <holon/comm/communicator.hpp>
#include <holon/core/timer.hpp>

#include <cstdint>

namespace holon {

/// What the steps of a run have cost so far: neither its preparations nor the files that are written when it ends.
struct StepCosts {
    double wall_s = 0.0, cpu_s = 0.0;
    std::int64_t reductions = 0;
    CheckpointStats checkpoint;

    void sum_up(const Communicator& comm); // CPU time and checkpoints of this rank to those of all. Collective.
};

class StepClocks {
public:
    /// The checkpoint counts from here on, too. Collective.
    void start(const Communicator& comm, CheckpointRecorder& checkpoint);

    double wall_seconds() const { return Timers::seconds_since(begin_); }

    /// Of this rank. Waits for what the checkpoint is writing.
    StepCosts read(const Communicator& comm, CheckpointRecorder& checkpoint) const;

private:
    Timers::Clock::time_point begin_ = Timers::Clock::now();
    double cpu_begin_ = 0.0;
    std::int64_t reductions_begin_ = 0;
};

} // namespace holon
