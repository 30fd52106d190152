#pragma once

#include <holon/dynamics/operator.hpp>

#include <cstdint>
#include <vector>

namespace holon {

/// A thermostat that draws velocities of whole constraint clusters anew: from the Maxwell distribution of each atom,
/// then projected onto the constraints, which makes them those of the constrained system. The heat is booked.
class Redrawing : public Operator {
public:
    explicit Redrawing(const SchemeInput& input);
    void apply(Step& step) override;
    double stored_energy() const override { return -heat_[0]; }

protected:
    /// Whether anything is drawn at this step; and whether the cluster is whose first atom has this id, in groups with
    /// this coupling time [ps].
    virtual bool now(const Clock& clock) const = 0;
    virtual bool hit(const Clock& clock, AtomId first, double tau) const = 0;

    const Parameters& parameters_;

private:
    void draw(const System& system, Atoms& atoms, const Clock& clock) const;

    std::vector<std::vector<std::int32_t>> first_; // of the cluster of each atom of each molecule type
    std::span<double> heat_;                       // taken up by the system [kJ/mol]
};

} // namespace holon
