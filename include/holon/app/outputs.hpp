#pragma once

#include <holon/app/engine.hpp>
#include <holon/app/input.hpp>
#include <holon/app/log_file.hpp>
#include <holon/app/measurement.hpp>
#include <holon/app/step_clocks.hpp>
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
class Outputs {
public:
    /// Why the files in a folder are not those of a run when `marks` were taken, as half a sentence; empty, if they
    /// are, or are not there. The newest state may be older than a file; of another state that is no proof that the
    /// file is the run's. On one rank.
    static std::string mismatch(const std::string& folder, std::uint64_t run_id, const OutputMarks& marks, bool newest);

    /// Creates the files of a new run, or goes on in those of a continued one: what was written after its state goes
    /// away. InputError, with nothing touched, if one of them cannot be gone on in. Collective.
    Outputs(const RunInput& input, OutputFolder& folder, Engine& engine, const RunState& state);

    /// First lines of md.log: system, grid, mesh, notes. Call after Outputs exists, before the first step. Collective.
    void describe(const RunInput& input, Engine& engine, const std::optional<MeshReport>& mesh);
    void start_clocks(Engine& engine); // of the steps. Collective.

    bool wants_energies(std::int64_t step) const;
    void measured(const Measurement& measurement);

    void frame(Engine& engine, std::int64_t step, double time); // if due. Collective.

    /// A frame with constraint forces [kJ/mol/nm] is given them later in its step, on the owned atoms.
    bool frame_waits_for_constraint_forces() const;
    void constraint_forces(Engine& engine, std::span<const Vec3> forces); // Collective.

    /// If due; `lent`: positions and velocities stay as they are until release_atoms(). Collective.
    void checkpoint(Engine& engine, const RunState& state, bool lent = false);
    void release_atoms()
    {
        if (checkpoint_) checkpoint_->release();
    }
    void repartitioned(Engine& engine); // Collective.

    /// Says in md.log and on stderr that something happened so many times; only so often in a run. On any rank.
    void warn(std::int64_t count, const std::string& first);

    /// What this rank wants everybody to know; what all know then. `agreed` throws Failure on all ranks if something
    /// could not be written anywhere. Collective.
    Votes votes() const;
    void agreed(const Communicator& comm, const Votes& votes);
    bool stopped() const; // before the last step

    /// Last checkpoint, files to disk, confout.gro, md.log and summary.json. `remark` goes into the log. Collective.
    void finish(Engine& engine, const RunState& state, const std::string& remark);

    /// summary.json and md.log of a run that failed. Not collective; on rank 0.
    void report_failure(const Engine& engine, const std::string& message);

private:
    void open_checkpoint(const RunInput& input, const Engine& engine, const RunState& state);
    void open_trajectory(const Communicator& comm, const TrajectoryInfo& info);
    void open_texts(const std::vector<std::string>& columns);
    std::string file(const char* name) const { return folder_.file(name); }
    bool goes_on_in(const char* name) const;
    OutputMarks marks() const;
    void submit(Engine& engine, RunState state, bool lent = false);
    std::string problem() const;
    std::vector<std::pair<std::string, double>> energies_of(const Measurement& m) const;
    EnergyReport report(const Measurement& m) const;
    Summary summary(const Engine& engine, const StepCosts& costs) const;

    const Parameters& parameters_;
    OutputFolder& folder_;
    StepClocks clocks_;
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

/// The mesh that the engine has, if any, and its error, measured at the present positions. Collective.
std::optional<MeshReport> mesh_report(Engine& engine, const Parameters& parameters);

} // namespace holon
