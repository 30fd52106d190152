#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// J. P. Ryckaert, A. Bellemans, Chem. Phys. Lett. 30 (1975) 123: V = sum of C_n cos^n psi, psi = phi - 180 degrees
/// (cis is 180). Parameters: C0 .. C5 [kJ/mol].
struct RyckaertBellemans {
    static constexpr int n_atoms = 4;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 3> compute(const Difference& difference, const Parameters& c)
    {
        const DihedralSides<T> sides(difference);
        const Dihedral<T> dihedral = sides.dihedral();
        const T cosine = -dihedral.cosine;
        T energy = c[5], derivative{}; // by the cosine; Horner
#pragma GCC unroll 5
        for (int n = 4; n >= 0; --n) {
            derivative = derivative * cosine + energy;
            energy = energy * cosine + c[n];
        }
        return sides.forces(dihedral, energy, derivative * dihedral.sine);
    }
};

} // namespace holon::bonded
