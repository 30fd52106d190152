#pragma once

#include <holon/system/topology.hpp>

#include <cstdint>

namespace holon {

/// Turns the constraints of all molecule types into springs, terms `constraint_spring`: also those that were left out
/// because they follow from others, at the length that these give them. Rigid water (settles) stays as it is.
///
/// The constant is k = kT / (tolerance d)^2, so that a single spring of length d is off by `tolerance` d, root mean
/// square, at `temperature` [K].
void replace_constraints_by_springs(Topology& topology, double tolerance, double temperature);

/// What the springs of a topology ask of a time step. A step h of the leap-frog, and of velocity Verlet, is stable
/// while omega h < 2 for all frequencies omega.
struct SpringReport {
    std::int64_t springs = 0;      // in the whole system
    double largest_constant = 0.0; // [kJ/mol/nm^2]
    double single = 0.0;           // largest frequency of a spring with its two atoms alone [1/ps]: no less is there
    double coupled = 0.0;          // bound to the frequencies of springs that share atoms, whatever their angles

    double stable_step() const { return 2.0 / coupled; }  // in any shape of the molecules [ps]
    double unstable_step() const { return 2.0 / single; } // from here on none is stable [ps]
    double accurate_step() const;                         // a tenth of the shortest period [ps]
};

SpringReport spring_report(const Topology& topology);

} // namespace holon
