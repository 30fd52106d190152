#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// What atoms that the pair list leaves out still feel of the electrostatics. Parameters: K q_i q_j [kJ/mol nm].

/// The medium beyond the cutoff answers to their charges like to any other: V = K q_i q_j (k_rf r^2 - c_rf) within the
/// cutoff. I. G. Tironi et al., J. Chem. Phys. 102 (1995) 5451.
struct ReactionField {
    template <class T, class Parameters>
    static HOLON_INLINE TermForces<T, 1> compute(const V3<T>& d, T strength, const Parameters& p)
    {
        const auto& k = p.constants;
        const T r2 = dot(d, d);
        const T inside = select(r2 < k.cutoff2, strength, T{});
        return {{inside * (k.k_rf * r2 - k.c_rf)}, {(-2.0 * inside * k.k_rf) * d}, {d}};
    }
};

/// What the mesh gives to them is taken off again: V = -K q_i q_j smooth(r), within the cutoff by the same polynomial
/// as for other pairs. Lanes beyond it get nothing here and are reported.
struct MeshPart {
    template <class T, class Parameters>
    static HOLON_INLINE TermForces<T, 1> compute(const V3<T>& d, T strength, const Parameters& p)
    {
        const auto& k = p.constants;
        const T r2 = dot(d, d);
        const auto near = r2 < k.cutoff2;
        p.report(!near);
        const T inside = select(near, strength, T{});
        const T s = select(near, r2, T{}) / k.polynomial_cutoff2 - 0.5;
        return {{inside * horner(k.ewald_energy, k.degree + 1, s)},
                {(inside * horner(k.ewald_force, k.degree, s)) * d},
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

template <class Potential>
struct ExcludedPair {
    static constexpr int n_atoms = 2;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 1> compute(const Difference& difference, const Parameters& p)
    {
        return Potential::template compute<T>(difference(0, 1), p[0], p);
    }
};

/// Three pairs of three atoms, as in water: the same as pair by pair, with half the loads and stores.
template <class Potential>
struct ExcludedTriangle {
    static constexpr int n_atoms = 3;
    static constexpr Ends ends[] = {{0, 1}, {0, 2}, {1, 2}};

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 3, 3> compute(const Difference& difference, const Parameters& p)
    {
        const auto a = Potential::template compute<T>(difference(0, 1), p[0], p);
        const auto b = Potential::template compute<T>(difference(0, 2), p[1], p);
        const auto c = Potential::template compute<T>(difference(1, 2), p[2], p);
        return {{a.energy[0], b.energy[0], c.energy[0]}, {a.f[0], b.f[0], c.f[0]}, {a.d[0], b.d[0], c.d[0]}};
    }
};

} // namespace holon::bonded
