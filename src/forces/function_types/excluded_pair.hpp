#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// What atoms that the pair list leaves out still feel of the electrostatics. Parameters: K q_i q_j [kJ/mol nm].

/// The medium beyond the cutoff answers to their charges like to any other: V = K q_i q_j (k_rf r^2 - c_rf) within the
/// cutoff. I. G. Tironi et al., J. Chem. Phys. 102 (1995) 5451.
struct ReactionField {
    template <class T, int n, class Parameters>
    static HOLON_INLINE TermForces<T, n, n> compute(const V3<T> (&d)[n], const Parameters& p)
    {
        const auto& k = p.constants;
        TermForces<T, n, n> all;
        for (int m = 0; m < n; ++m) {
            const T r2 = dot(d[m], d[m]);
            const T inside = select(r2 < k.cutoff2, T(p[m]), T{});
            all.energy[m] = inside * (k.k_rf * r2 - k.c_rf);
            all.f[m] = (-2.0 * inside * k.k_rf) * d[m];
            all.d[m] = d[m];
        }
        return all;
    }
};

/// What the mesh gives to them is taken off again: V = -K q_i q_j smooth(r), within the cutoff by the same polynomial
/// as for other pairs. Lanes beyond it get nothing here and are reported.
struct MeshPart {
    template <class T, int n, class Parameters>
    static HOLON_INLINE TermForces<T, n, n> compute(const V3<T> (&d)[n], const Parameters& p)
    {
        const auto& k = p.constants;
        T inside[n], s[n], energy[n], force[n];
        for (int m = 0; m < n; ++m) {
            const T r2 = dot(d[m], d[m]);
            const auto near = r2 < k.cutoff2;
            p.report(!near);
            inside[m] = select(near, T(p[m]), T{});
            s[m] = select(near, r2, T{}) / k.polynomial_cutoff2 - 0.5;
            force[m] = T{} + k.ewald_force[k.degree];
            energy[m] = (T{} + k.ewald_energy[k.degree + 1]) * s[m] + k.ewald_energy[k.degree];
        }
        // Horner's rule waits for each step to end, so that all take theirs together.
        for (int power = k.degree - 1; power >= 0; --power)
            for (int m = 0; m < n; ++m) {
                force[m] = force[m] * s[m] + k.ewald_force[power];
                energy[m] = energy[m] * s[m] + k.ewald_energy[power];
            }
        TermForces<T, n, n> all;
        for (int m = 0; m < n; ++m) {
            all.energy[m] = inside[m] * energy[m];
            all.f[m] = (inside[m] * force[m]) * d[m];
            all.d[m] = d[m];
        }
        return all;
    }
};

template <class Potential>
struct ExcludedPair {
    static constexpr int n_atoms = 2;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 1> compute(const Difference& difference, const Parameters& p)
    {
        return Potential::template compute<T, 1>({difference(0, 1)}, p);
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
        return Potential::template compute<T, 3>({difference(0, 1), difference(0, 2), difference(1, 2)}, p);
    }
};

} // namespace holon::bonded
