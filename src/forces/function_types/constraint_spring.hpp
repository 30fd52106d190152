#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// V = 1/2 k (b - d)^2, so stiff that the length b hardly differs from d. Parameters: d [nm], k [kJ/mol/nm^2].
/// The stretch is computed from the squares, in which the positions of the lattice are exact.
struct ConstraintSpring {
    static TermForces<double, 1> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> d = r(0, 1);
        const double b = length(d), stretch = (dot(d, d) - p[0] * p[0]) / (b + p[0]);
        return {{0.5 * p[1] * stretch * stretch}, {central_force(d, b, p[1] * stretch)}, {d}};
    }
};

} // namespace holon::bonded
