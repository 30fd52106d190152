#include "step_clocks.hpp"

#include <holon/core/cpu_time.hpp>

namespace holon {

void StepCosts::sum_up(const Communicator& comm)
{
    auto& c = checkpoint;
    for (double* seconds : {&cpu_s, &c.blocked_s, &c.pack_s, &c.helper_cpu_s})
        *seconds = 1e-9 * static_cast<double>(comm.sum(static_cast<std::int64_t>(1e9 * *seconds)));
    c.bytes_per_step = comm.sum(c.bytes_per_step);
}

void StepClocks::start(const Communicator& comm, CheckpointRecorder& checkpoint)
{
    comm.barrier(); // what one rank has done before is no part of it
    checkpoint.restart_stats();
    begin_ = Timers::Clock::now();
    cpu_begin_ = process_cpu_seconds();
    reductions_begin_ = comm.reductions();
}

StepCosts StepClocks::read(const Communicator& comm, CheckpointRecorder& checkpoint) const
{
    StepCosts costs;
    costs.wall_s = wall_seconds();
    costs.checkpoint = checkpoint.stats();
    costs.cpu_s = process_cpu_seconds() - cpu_begin_;
    costs.reductions = comm.reductions() - reductions_begin_;
    return costs;
}

} // namespace holon
