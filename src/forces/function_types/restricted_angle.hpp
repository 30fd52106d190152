#pragma once

#include "rare_term.hpp"

#include <holon/core/portable_math.hpp>

namespace holon::bonded {

/// See RestrictedPotential; of an angle. Parameters: theta0 [rad], k [kJ/mol].
struct RestrictedAngle {
    static TermForces<double, 2> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> r_ij = r(0, 1), r_kj = r(2, 1);
        const AngleCosine angle(r_ij, r_kj);
        const RestrictedPotential v(angle.cosine, angle.sine2, portable::cos(p[0]), p[1]);
        const double slope = angle.sine2 > collinear ? v.slope : 0.0;
        const V3<double> f_i = -slope * angle.gradient_i, f_k = -slope * angle.gradient_k;
        return {{v.energy}, {f_i, -f_i - f_k}, {r_ij - r_kj, -r_kj}};
    }
};

} // namespace holon::bonded
