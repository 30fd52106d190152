#pragma once

#include <holon/dynamics/operator.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace holon {

/// A coupling group as a thermostat that rescales velocities sees it.
struct ThermalState {
    std::size_t group = 0;
    double kinetic = 0.0; // [kJ/mol]
    double target = 0.0;  // its mean at the reference temperature [kJ/mol]
    double dof = 0.0;     // degrees of freedom
    double tau = 0.0;     // [ps]
};

/// A thermostat that takes each group to another kinetic energy, by one factor for all its velocities. The work is
/// booked.
class Rescaling : public Operator {
public:
    explicit Rescaling(const SchemeInput& input);
    void apply(Step& step) override;
    double stored_energy() const override { return -work_[0]; }

protected:
    /// The kinetic energy that a group is to have after `interval` [ps].
    virtual double wanted(const ThermalState& state, double interval, std::int64_t step) const = 0;

    const Parameters& parameters_;

private:
    const std::vector<double>& dof_;
    std::span<double> work_; // done on the system [kJ/mol]
};

} // namespace holon
