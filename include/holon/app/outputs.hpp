#pragma once

#include <holon/app/box_report.hpp>
#include <holon/app/input.hpp>
#include <holon/app/log_file.hpp>
#include <holon/app/mesh_report.hpp>
#include <holon/app/step_clocks.hpp>
#include <holon/dynamics/measurement.hpp>
#include <holon/dynamics/recorder.hpp>
#include <holon/dynamics/system.hpp>
#include <holon/io/checkpoint.hpp>
#include <holon/io/energy_file.hpp>
#include <holon/io/output_folder.hpp>
#include <holon/io/summary.hpp>
#include <holon/io/trajectory.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// Everything that a run writes, and the wish to stop it.
class Outputs : public Recorder {
public:
    /// Why the files in a folder are not those of a run when `marks` were taken, as half a sentence; empty, if they
    /// are, or are not there. The newest state may be older than a file; of another state that is no proof that the
    /// file is the run's. On one rank.
    static std::string mismatch(const std::string& folder, std::uint64_t run_id, const OutputMarks& marks, bool newest);

    /// Creates the files of a new run, or goes on in those of a continued one: what was written after its state goes
    /// away. InputError, with nothing touched, if one of them cannot be gone on in. Collective.
    Outputs(const RunInput& input, OutputFolder& folder, System& system, const RunState& state);

    /// First lines of md.log: system, grid, mesh, notes. Call after Outputs exists, before the first step. Collective.
    void describe(const RunInput& input, System& system, const std::optional<MeshReport>& mesh);
    void start_clocks(System& system); // of the steps. Collective.

    // See Recorder. `agreed` throws Failure on all ranks if something could not be written anywhere; warnings go into
    // md.log and to stderr, only so many of them in a run.
    void frame(System& system, const Clock& clock) override;
    bool wants_constraint_forces() const override;
    void constraint_forces(System& system, std::span<const Vec3> forces) override;
    bool wants_energies(std::int64_t step) const override;
    void measured(const Measurement& measurement) override;
    void checkpoint(System& system, const Clock& clock, bool lent) override;
    void release() override
    {
        if (checkpoint_) checkpoint_->release();
    }
    void repartitioned(System& system) override;
    void warn(std::int64_t count, const std::string& first) override;
    Votes votes() const override;
    void agreed(const Communicator& comm, const Votes& votes) override;

    bool stopped() const; // before the last step

    /// Last checkpoint, files to disk, confout.gro, md.log and summary.json. `remark` goes into the log. Collective.
    void finish(System& system, const Clock& clock, const std::string& remark);

    /// summary.json and md.log of a run that failed. Not collective; on rank 0.
    void report_failure(const System& system, const std::string& message);

private:
    void open_checkpoint(const RunInput& input, const System& system, const RunState& state);
    void open_trajectory(const Communicator& comm, const TrajectoryInfo& info);
    void open_texts(const std::vector<std::string>& columns);
    std::string file(const char* name) const { return folder_.file(name); }
    bool goes_on_in(const char* name) const;
    OutputMarks marks() const;
    void submit(System& system, const Clock& clock, bool lent = false);
    std::string problem() const;
    std::vector<std::pair<std::string, double>> energies_of(const Measurement& m) const;
    EnergyReport report(const Measurement& m) const;
    Summary summary(const System& system, const StepCosts& costs) const;

    const Parameters& parameters_;
    OutputFolder& folder_;
    StepClocks clocks_;
    BoxReport box_report_;
    std::vector<EnergyTerm> terms_; // those that the system has
    bool in_place_ = false;         // goes on in the files that are there
    OutputMarks start_marks_;       // of the state that the run goes on from
    std::optional<CheckpointWriter> checkpoint_;
    std::optional<TrajectoryWriter> trajectory_;
    std::optional<EnergyFile> energy_file_; // on rank 0
    std::optional<LogFile> log_;            // on rank 0
    std::optional<Measurement> first_, last_;
    std::optional<MeshReport> mesh_;
    std::vector<ConstraintDiagnosis> diagnoses_;
    std::int64_t start_step_ = 0, step_ = 0, last_checkpoint_ = -1;
    std::int64_t n_warnings_ = 0;
    bool stopping_ = false;
};

} // namespace holon
