#pragma once

#include <holon/dynamics/operator.hpp>

#include "thermostats/draws.hpp"

namespace holon {

/// A thermostat that draws velocities of whole constraint clusters anew: from the Maxwell distribution of each atom,
/// then projected onto the constraints, which makes them those of the constrained system. The heat is booked.
class Redrawing : public Operator {
public:
    Redrawing(const SchemeInput& input, std::unique_ptr<Draws> draws);
    void apply(Step& step) override;
    double stored_energy() const override { return -heat_[0]; }

private:
    void draw(const System& system, Atoms& atoms, const Clock& clock) const;

    const Parameters& parameters_;
    std::unique_ptr<Draws> draws_;
    std::span<double> heat_; // taken up by the system [kJ/mol]
};

} // namespace holon
