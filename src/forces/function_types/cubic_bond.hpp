#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// V = k (b - b0)^2 (1 + kcub (b - b0)), without a half; a bond of flexible water. It opens where kcub (b - b0) < -2/3.
/// Parameters: b0 [nm], k [kJ/mol/nm^2], kcub [1/nm].
struct CubicBond {
    static TermForces<double, 1> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> d = r(0, 1);
        const double b = length(d), stretch = b - p[0], k = p[1], cubic = p[2] * stretch;
        return {{k * stretch * stretch * (1.0 + cubic)}, {central_force(d, b, k * stretch * (2.0 + 3.0 * cubic))}, {d}};
    }
};

} // namespace holon::bonded
