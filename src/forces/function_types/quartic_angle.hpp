#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// V = sum over n from 0 to 4 of C_n (theta - theta0)^n. Parameters: theta0 [rad], C_0 to C_4 [kJ/mol/rad^n].
struct QuarticAngle {
    static TermForces<double, 2> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> r_ij = r(0, 1), r_kj = r(2, 1);
        const Angle<double> angle(r_ij, r_kj);
        const double bend = angle.theta - p[0];
        const double energy = (((p[5] * bend + p[4]) * bend + p[3]) * bend + p[2]) * bend + p[1];
        const double slope = ((4.0 * p[5] * bend + 3.0 * p[4]) * bend + 2.0 * p[3]) * bend + p[2];
        return {
            {energy}, {-slope * angle.gradient_i, slope * (angle.gradient_i + angle.gradient_k)}, {r_ij - r_kj, -r_kj}};
    }
};

} // namespace holon::bonded
