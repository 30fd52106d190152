#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// GROMOS-96: V = 1/2 k (cos theta - cos theta0)^2. Parameters: cos theta0, k [kJ/mol].
/// The cosine is smooth everywhere, so that collinear atoms need no exception; only atoms in one place do: no force.
struct G96Angle {
    static constexpr int n_atoms = 3;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 2> compute(const Difference& difference, const Parameters& p)
    {
        const V3<T> r_ij = difference(0, 1), r_kj = difference(2, 1);
        const T ij2 = dot(r_ij, r_ij), kj2 = dot(r_kj, r_kj);
        const auto apart = (ij2 > 0.0) & (kj2 > 0.0);
        const T inverse_ij = select(apart, 1.0 / square_root(ij2), T{}),
                inverse_kj = select(apart, 1.0 / square_root(kj2), T{});
        const V3<T> u = inverse_ij * r_ij, w = inverse_kj * r_kj;
        const T cosine = dot(u, w);
        const T bend = select(apart, cosine - p[0], T{}), slope = p[1] * bend;
        const V3<T> f_i = (-slope * inverse_ij) * (w - cosine * u);
        const V3<T> f_k = (-slope * inverse_kj) * (u - cosine * w);
        return {{0.5 * slope * bend}, {f_i, -f_i - f_k}, {r_ij - r_kj, -r_kj}};
    }
};

} // namespace holon::bonded
