#pragma once

#include "run_file.hpp"
#include "run_folder.hpp"

#include <holon/app/input.hpp>
#include <holon/dynamics/system.hpp>

#include <optional>

namespace holon {

/// What the trajectory of a run that is at `step` will be.
TrajectoryInfo trajectory_info(const RunInput& input, const System& system, std::int64_t step);

/// trajectory.h5md: positions, velocities and forces, each when it is due.
class TrajectoryRecorder : public RunFile {
public:
    /// Goes on after the frames that the state of the run knows. No file, if nothing is to be written. Collective.
    TrajectoryRecorder(const Communicator& comm, const RunFolder& folder, const TrajectoryInfo& info);

    void frame(System& system, const Clock& clock) override;
    bool wants_constraint_forces() const override;
    void constraint_forces(System& system, std::span<const Vec3> forces) override;
    void mark(OutputMarks& marks) const override;
    void finish(); // frames to disk. Collective.

private:
    std::optional<TrajectoryWriter> writer_;
};

} // namespace holon
