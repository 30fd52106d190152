#pragma once

#include "rare_term.hpp"

#include <holon/core/portable_math.hpp>

namespace holon::bonded {

/// V = k (1 - cos(n (theta - theta0))) of an angle between two vectors. Parameters: theta0 [rad], k [kJ/mol], n.
struct RestrainedAngle {
    double energy;
    V3<double> f_u, f_w; // on the heads of the vectors

    RestrainedAngle(const V3<double>& u, const V3<double>& w, const InteractionParameters& p)
    {
        const Angle<double> angle(u, w);
        const auto [sine, cosine] = portable::sine_cosine(p[2] * (angle.theta - p[0]));
        const double slope = p[1] * p[2] * sine;
        energy = p[1] * (1.0 - cosine);
        f_u = -slope * angle.gradient_i;
        f_w = -slope * angle.gradient_k;
    }
};

/// Of the vectors from atom 0 to 1 and from 2 to 3.
struct AngleRestraint {
    static constexpr Ends ends[] = {{1, 0}, {3, 2}};

    static TermForces<double, 2> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> u = r(1, 0), w = r(3, 2);
        const RestrainedAngle angle(u, w, p);
        return {{angle.energy}, {angle.f_u, angle.f_w}, {u, w}};
    }
};

/// Of the vector from atom 0 to 1 and the z axis: no force from outside, but a torque.
struct AngleRestraintZ {
    static constexpr Ends ends[] = {{1, 0}};

    static TermForces<double, 1> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> u = r(1, 0);
        const RestrainedAngle angle(u, {0.0, 0.0, 1.0}, p);
        return {{angle.energy}, {angle.f_u}, {u}};
    }
};

} // namespace holon::bonded
