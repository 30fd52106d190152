#pragma once

#include <holon/dynamics/dynamics.hpp>
#include <holon/io/options.hpp>

#include <support/systems.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holon::test {

/// A run without files that measures every step.
class MeasuredRun : public Recorder {
public:
    MeasuredRun(const TestSystem& system, const Communicator& comm, const std::string& mdp,
                const std::vector<AtomGroup>& groups = {});

    bool wants_energies(std::int64_t) const override { return true; }
    void measured(const Measurement& m) override { measurements_.push_back(m); }

    /// What is measured in so many steps.
    std::vector<Measurement> advance(std::int64_t steps);

    System& system() { return system_; }
    const std::string& verdict() const { return dynamics_->verdict(); }
    double dof() const;

private:
    RunSettings settings(const TestSystem& system, const std::string& mdp, const std::vector<AtomGroup>& groups);

    Notes notes_;
    RunSettings settings_;
    System system_;
    std::optional<Dynamics> dynamics_;
    std::vector<Measurement> measurements_;
};

/// Mean and standard deviation of what a function finds in measurements.
struct Spread {
    double mean = 0.0, deviation = 0.0;
};
Spread spread(const std::vector<Measurement>& all, const std::function<double(const Measurement&)>& of);

} // namespace holon::test
