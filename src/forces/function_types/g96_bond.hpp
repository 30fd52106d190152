#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// GROMOS-96: V = 1/4 k (b^2 - b0^2)^2. Parameters: b0 [nm], k [kJ/mol/nm^4].
struct G96Bond {
    static constexpr int n_atoms = 2;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 1> compute(const Difference& difference, const Parameters& p)
    {
        const V3<T> d = difference(0, 1);
        const T stretch = dot(d, d) - p[0] * p[0], force = p[1] * stretch;
        return {{0.25 * force * stretch}, {-force * d}, {d}};
    }
};

} // namespace holon::bonded
