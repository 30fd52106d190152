#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// Atoms three bonds apart: V = c12/r^12 - c6/r^6 + K q_i q_j / r, at any distance, of which the second is the Coulomb
/// energy. Parameters: c6 [kJ/mol nm^6], c12 [kJ/mol nm^12], and K times the scaled product of the charges [kJ/mol nm].
struct Pair14 {
    static constexpr int n_atoms = 2;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 1, 2> compute(const Difference& difference, const Parameters& p)
    {
        const V3<T> d = difference(0, 1);
        const T inverse2 = 1.0 / dot(d, d);
        const T inverse6 = inverse2 * inverse2 * inverse2;
        const T c6 = p[0], c12 = p[1], coulomb = p[2] * square_root(inverse2);
        return {{(c12 * inverse6 - c6) * inverse6, coulomb},
                {(((12.0 * c12 * inverse6 - 6.0 * c6) * inverse6 + coulomb) * inverse2) * d},
                {d}};
    }
};

} // namespace holon::bonded
