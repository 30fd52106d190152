#pragma once

#include "checkpoint_recorder.hpp"
#include "energy_recorder.hpp"
#include "log_recorder.hpp"
#include "stop_policy.hpp"
#include "summary_recorder.hpp"
#include "trajectory_recorder.hpp"

#include <holon/dynamics/recorders.hpp>

#include <array>

namespace holon {

/// Everything that a run writes, and the wish to stop it. The parts are told what happens in the order in which they
/// stand here, which is that in which their files are made: checkpoint.h5 first, see OutputFolder::clear().
class Outputs : public Recorders {
public:
    /// Creates the files of a new run, or goes on in those of a continued one: what was written after its state goes
    /// away. InputError, with nothing touched, if one of them cannot be gone on in. `input` and `folder` must outlive
    /// this object. Collective.
    Outputs(const RunInput& input, const OutputFolder& folder, System& system, const RunState& state);

    /// First lines of md.log. Call after Outputs exists, before the first step. Collective.
    void describe(const RunInput& input, System& system, const std::optional<MeshReport>& mesh);
    void start_clocks(System& system); // of the steps. Collective.

    void frame(System& system, const Clock& clock) override;
    Votes votes() const override;

    /// Failure on all ranks, if something could not be written anywhere. Collective.
    void agreed(const Communicator& comm, const Votes& votes) override;

    bool stopped() const; // before the last step

    /// Last checkpoint, files to disk, confout.gro, md.log and summary.json. `remark` goes into the log. Collective.
    void finish(System& system, const Clock& clock, const std::string& remark);

    /// summary.json and md.log of a run that failed. Not collective; on rank 0.
    void report_failure(const System& system, const std::string& message);

private:
    Outputs(const RunInput& input, const OutputFolder& folder, System& system, const RunState& state,
            const TrajectoryInfo& trajectory);
    OutputMarks marks() const;
    std::string problem() const;
    std::array<const RunFile*, 4> files() const { return {&checkpoint_, &trajectory_, &energies_, &log_}; }

    const Parameters& parameters_;
    std::int64_t step_; // that the run is at
    StepClocks clocks_;
    ShownValues shown_;
    RunFolder folder_;
    CheckpointRecorder checkpoint_;
    TrajectoryRecorder trajectory_;
    EnergyRecorder energies_;
    LogRecorder log_;
    SummaryRecorder summary_;
    StopPolicy stop_;
};

} // namespace holon
