#pragma once

#include "run_file.hpp"
#include "run_folder.hpp"
#include "shown_values.hpp"

#include <holon/io/energy_file.hpp>

#include <optional>

namespace holon {

/// energy.csv: a row every `nstenergy` steps.
class EnergyRecorder : public RunFile {
public:
    /// `shown` must outlive this object. Collective.
    EnergyRecorder(const Communicator& comm, const RunFolder& folder, const ShownValues& shown, std::int64_t interval);

    bool wants_energies(std::int64_t step) const override { return interval_ > 0 && step % interval_ == 0; }
    void measured(const Measurement& m) override;
    void mark(OutputMarks& marks) const override;
    std::string problem() const override;
    void finish(); // rows to disk; Failure, if they are not there. On rank 0.

private:
    const ShownValues& shown_;
    std::int64_t interval_;          // steps; 0: no rows
    std::optional<EnergyFile> file_; // on rank 0
};

} // namespace holon
