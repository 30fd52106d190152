#include "trajectory_recorder.hpp"

#include <holon/comm/on_root.hpp>

namespace holon {

TrajectoryInfo trajectory_info(const RunInput& input, const System& system, std::int64_t step)
{
    const auto& p = input.settings.parameters;
    TrajectoryInfo info;
    info.atoms = system.topology().n_atoms();
    info.run_id = input.stored.run_id;
    info.program_version = HOLON_VERSION;
    info.schedule = schedules_of(p);
    info.double_precision = p.precision == Precision::real64;
    info.first_step = step;
    info.last_step = p.last_step();
    if (system.comm().root()) describe_atoms(*input.topology, info);
    return info;
}

TrajectoryRecorder::TrajectoryRecorder(const Communicator& comm, const RunFolder& folder, const TrajectoryInfo& info)
{
    if (!info.writes_any()) return;
    std::int64_t there = 0;
    on_root(comm, [&] { there = folder.goes_on_in(trajectory_name) ? 1 : 0; });
    const auto path = folder.file(trajectory_name);
    // What was written after the state may not be on disk in all its parts.
    writer_ = comm.max(there) != 0 ? TrajectoryWriter::resume(comm, path, info, folder.start_marks().last_frame)
                                   : TrajectoryWriter::create(comm, path, info);
}

void TrajectoryRecorder::frame(System& system, const Clock& clock)
{
    if (!writer_ || !writer_->wants(clock.step)) return;
    const auto timer = system.timers.measure(Stage::output);
    writer_->append(clock.step, clock.time(), system.atoms, system.box());
}

bool TrajectoryRecorder::wants_constraint_forces() const
{
    return writer_ && writer_->waits_for_constraint_forces();
}

void TrajectoryRecorder::constraint_forces(System& system, std::span<const Vec3> forces)
{
    const auto timer = system.timers.measure(Stage::output);
    writer_->add_constraint_forces(system.atoms, forces);
}

void TrajectoryRecorder::mark(OutputMarks& marks) const
{
    if (writer_) marks.frames = writer_->frames(), marks.last_frame = writer_->last_step();
}

void TrajectoryRecorder::finish()
{
    if (writer_) writer_->finish();
}

} // namespace holon
