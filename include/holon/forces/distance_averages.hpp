#pragma once

#include <holon/system/state.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace holon {

/// Averages of r^-3 of pairs of atoms over the past, whose weight falls by exp(-t / tau); normalised from the start on.
/// The state has those up to the step before, so that forces of a step can be computed again after a restart.
class DistanceAverages {
public:
    /// tau and dt [ps]; tau = 0: no averages.
    DistanceAverages(double tau, double dt);

    /// Before anything else, where there are averages.
    void declare(State& state, std::size_t pairs);

    /// What has been added becomes part of the past.
    void advance();

    /// The average [nm^-3] with the present value of a pair, without averages that itself.
    double add(std::size_t pair, double per_r3);

    /// Part of the force constant at this time: it grows from 0 as averages get a past.
    double ramp() const { return any() ? 1.0 - weight() : 1.0; }

private:
    bool any() const { return decay_ > 0.0; }
    double weight() const { return past_.front() * decay_; } // exp(-t / tau) at this step

    double decay_;                // in one step; 0: no averages
    std::vector<double> present_; // averages at this step
    std::span<double> past_;      // weight and averages of the step before
};

} // namespace holon
