#pragma once

#include "shown_values.hpp"
#include "step_clocks.hpp"

#include <holon/dynamics/recorder.hpp>
#include <holon/dynamics/system.hpp>
#include <holon/io/summary.hpp>

#include <optional>

namespace holon {

/// What summary.json says of a run: the first and the last measurement, and what the steps have cost.
class SummaryRecorder : public Recorder {
public:
    /// Of a run that is at `start_step`. `parameters` and `shown` must outlive this object.
    SummaryRecorder(const Parameters& parameters, const ShownValues& shown, std::int64_t start_step)
        : parameters_(parameters), shown_(shown), start_step_(start_step)
    {
    }

    void measured(const Measurement& m) override;

    /// What is known before the first step.
    void describe(const std::optional<MeshReport>& mesh, const std::vector<ConstraintDiagnosis>& diagnoses);

    /// At any time, of what this rank knows.
    Summary so_far(const System& system, const StepCosts& costs, std::int64_t step) const;

    /// At the end, with what the ranks know together; `costs` is what the steps have cost all of them. Collective.
    Summary complete(System& system, const StepCosts& costs, std::int64_t step) const;

private:
    const Parameters& parameters_;
    const ShownValues& shown_;
    std::int64_t start_step_;
    std::optional<Measurement> first_, last_;
    std::optional<MeshReport> mesh_;
    std::vector<ConstraintDiagnosis> diagnoses_;
};

} // namespace holon
