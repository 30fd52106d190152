#pragma once

#include <holon/system/state.hpp>

#include <cstddef>
#include <limits>
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

    /// What follows is of time t: averages of an earlier time become state.
    void begin(double t);

    /// The average [nm^-3] with the present value of a pair, without averages that itself.
    double add(std::size_t pair, double per_r3);

    /// Part of the force constant at this time: it grows from 0 as averages get a past.
    double ramp() const { return decay_ > 0.0 ? 1.0 - weight_ : 1.0; }
    bool any() const { return decay_ > 0.0; }

private:
    double decay_; // in one step; 0: no averages
    double time_ = std::numeric_limits<double>::quiet_NaN();
    double weight_ = 0.0;         // exp(-t / tau) at this time
    std::vector<double> present_; // averages at this time
    std::span<double> past_;      // weight and averages of the step before
};

} // namespace holon
