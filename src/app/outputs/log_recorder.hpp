#pragma once

#include "log_file.hpp"
#include "run_file.hpp"
#include "run_folder.hpp"
#include "shown_values.hpp"
#include "step_clocks.hpp"

#include <holon/app/input.hpp>
#include <holon/dynamics/system.hpp>
#include <holon/io/summary.hpp>

#include <optional>
#include <string>

namespace holon {

/// md.log: what is run, energies every `nstlog` steps, warnings, and what it came to; progress on a terminal.
class LogRecorder : public RunFile {
public:
    /// Of a run that is at `start_step`. All but `comm` and `folder` must outlive this object. Collective.
    LogRecorder(const Communicator& comm, const RunFolder& folder, const Parameters& parameters,
                const ShownValues& shown, const StepClocks& clocks, std::int64_t start_step);

    /// First lines: system, grid, mesh, notes. Collective.
    void describe(const RunInput& input, System& system, const std::optional<MeshReport>& mesh,
                  const std::vector<ConstraintDiagnosis>& diagnoses);

    void frame(System& system, const Clock& clock) override;
    bool wants_energies(std::int64_t step) const override;
    void measured(const Measurement& m) override;

    /// Into the log and to stderr, only so many of them in a run.
    void warn(std::int64_t count, const std::string& first) override;
    void mark(OutputMarks& marks) const override;

    /// Last lines, on rank 0: the energies of the last step, `statistics` of all rows, a remark, where the time went.
    void finish(const Summary& summary, const std::string& statistics, const std::string& remark);
    void report_failure(const std::string& message); // on any rank

    /// A line, on any rank.
    void line(const std::string& text);

private:
    const Parameters& parameters_;
    const ShownValues& shown_;
    const StepClocks& clocks_;
    std::int64_t start_step_;
    std::optional<LogFile> file_; // on rank 0
    std::optional<Measurement> last_;
    std::int64_t n_warnings_ = 0;
};

} // namespace holon
