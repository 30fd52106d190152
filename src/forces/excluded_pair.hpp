#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// What atoms that the pair list leaves out still feel of the electrostatics. Parameter: K q_i q_j [kJ/mol nm].

/// The medium beyond the cutoff answers to their charges like to any other: V = K q_i q_j (k_rf r^2 - c_rf) within the
/// cutoff. I. G. Tironi et al., J. Chem. Phys. 102 (1995) 5451.
struct ExcludedPairReactionField {
    static constexpr int n_atoms = 2;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 2> compute(const Difference& difference, const Parameters& p)
    {
        const V3<T> d = difference(0, 1);
        const T r2 = dot(d, d);
        const T strength = r2 < p.constants.cutoff2 ? p[0] : T{};
        return {
            {strength * (p.constants.k_rf * r2 - p.constants.c_rf)}, {(-2.0 * strength * p.constants.k_rf) * d}, {d}};
    }
};

/// What the mesh gives to them is taken off again: V = -K q_i q_j smooth(r), within the cutoff by the same polynomial
/// as for other pairs. Lanes beyond it get nothing here and are reported.
struct ExcludedPairEwald {
    static constexpr int n_atoms = 2;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 2> compute(const Difference& difference, const Parameters& p)
    {
        const V3<T> d = difference(0, 1);
        const T r2 = dot(d, d);
        const auto near = r2 < p.constants.cutoff2;
        p.report(!near);
        const T strength = near ? p[0] : T{};
        const T s = (near ? r2 : T{}) / p.constants.polynomial_cutoff2 - 0.5;
        const int degree = p.constants.degree;
        return {{strength * horner(p.constants.ewald_energy, degree + 1, s)},
                {(strength * horner(p.constants.ewald_force, degree, s)) * d},
                {d}};
    }

private:
    template <class T>
    static HOLON_INLINE T horner(const double* coefficients, int degree, T s)
    {
        T sum = T{} + coefficients[degree];
        for (int k = degree - 1; k >= 0; --k) sum = sum * s + coefficients[k];
        return sum;
    }
};

} // namespace holon::bonded
