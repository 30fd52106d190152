#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// CHARMM's angle with a spring between its ends: V = 1/2 k (theta - theta0)^2 + 1/2 k_UB (r_ik - r13)^2.
/// Parameters: theta0 [rad], k [kJ/mol/rad^2], r13 [nm], k_UB [kJ/mol/nm^2].
struct UreyBradley {
    static constexpr int n_atoms = 3;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 2> compute(const Difference& difference, const Parameters& p)
    {
        const V3<T> r_ij = difference(0, 1), r_kj = difference(2, 1), r_ik = r_ij - r_kj;
        const Angle<T> angle(r_ij, r_kj);
        const T bend = angle.theta - p[0], slope = p[1] * bend;
        const T distance = square_root(dot(r_ik, r_ik));
        const T stretch = distance - p[2], tension = p[3] * stretch;
        return {{0.5 * slope * bend + 0.5 * tension * stretch},
                {central_force(r_ik, distance, tension) - slope * angle.gradient_i,
                 slope * (angle.gradient_i + angle.gradient_k)},
                {r_ik, -r_kj}};
    }
};

} // namespace holon::bonded
