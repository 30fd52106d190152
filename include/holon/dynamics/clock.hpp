#pragma once

#include <cstdint>

namespace holon {

/// Where a run is.
struct Clock {
    std::int64_t step = 0;
    double start = 0.0;    // time of step 0 [ps]
    double dt = 0.0;       // [ps]
    std::int64_t last = 0; // the step at which the run ends
    bool measured = true;  // energies of this step are wanted
    bool totals = true;    // those of the forces and their virial are, for whatever use

    /// After so many more steps [ps].
    double time(std::int64_t steps_later = 0) const { return start + static_cast<double>(step + steps_later) * dt; }
    bool at_end() const { return step >= last; }
};

} // namespace holon
