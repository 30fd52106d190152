#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// V = 1/2 k (b - b0)^2. Parameters: b0 [nm], k [kJ/mol/nm^2].
struct HarmonicBond {
    static constexpr int n_atoms = 2;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 1> compute(const Difference& difference, const Parameters& p)
    {
        const V3<T> d = difference(0, 1);
        const T b = square_root(dot(d, d));
        const T stretch = b - p[0], slope = p[1] * stretch;
        return {{0.5 * slope * stretch}, {central_force(d, b, slope)}, {d}};
    }
};

} // namespace holon::bonded
