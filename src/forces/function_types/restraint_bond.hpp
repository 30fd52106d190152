#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// A distance that may lie between low and up1: V = 1/2 k times the square of what it is beyond, on along the tangent
/// from up2 on. Parameters: low, up1, up2 [nm], k [kJ/mol/nm^2].
struct RestraintBond {
    static TermForces<double, 1> compute(const Differences& r, const InteractionParameters& p)
    {
        const auto [low, up1, up2, k, unused_4, unused_5] = p;
        const V3<double> d = r(0, 1);
        const double b = length(d);
        const double beyond = b < low ? b - low : b <= up1 ? 0.0 : b <= up2 ? b - up1 : up2 - up1;
        const double further = b > up2 && b > up1 ? b - up2 : 0.0;
        const double slope = k * beyond;
        return {{slope * (0.5 * beyond + further)}, {central_force(d, b, slope)}, {d}};
    }
};

} // namespace holon::bonded
