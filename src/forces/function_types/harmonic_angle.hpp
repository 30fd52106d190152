#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// V = 1/2 k (theta - theta0)^2. Parameters: theta0 [rad], k [kJ/mol/rad^2].
struct HarmonicAngle {
    static constexpr int n_atoms = 3;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 2> compute(const Difference& difference, const Parameters& p)
    {
        const V3<T> r_ij = difference(0, 1), r_kj = difference(2, 1);
        const Angle<T> angle(r_ij, r_kj);
        const T bend = angle.theta - p[0], slope = p[1] * bend;
        return {{0.5 * slope * bend},
                {-slope * angle.gradient_i, slope * (angle.gradient_i + angle.gradient_k)},
                {r_ij - r_kj, -r_kj}};
    }
};

} // namespace holon::bonded
