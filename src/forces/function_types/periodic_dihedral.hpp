#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// Proper and periodic improper dihedrals, all those of the same four atoms at once: the sum of k (1 + cos(n phi -
/// phi0)) as a Fourier series, V = A_0 + sum over n from 1 to N of A_n cos(n phi) + B_n sin(n phi).
/// Parameters: A_0, A_1, B_1, A_2, B_2, ... [kJ/mol]. No angle is needed: C. W. Clenshaw, Math. Comput. 9 (1955) 118;
/// leading zeros change no bit.
struct PeriodicDihedral {
    static constexpr int n_atoms = 4;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 3> compute(const Difference& difference, const Parameters& p)
    {
        const DihedralSides<T> sides(difference);
        const Dihedral<T> dihedral = sides.dihedral();
        const T twice = 2.0 * dihedral.cosine;
        Sums<T> even{}, odd{}, even_slope{}, odd_slope{};
        for (int n = (p.count - 1) / 2; n > 0; --n) {
            const T a = p[2 * n - 1], b = p[2 * n];
            add(even, a, twice);
            add(odd, b, twice);
            add(even_slope, static_cast<double>(n) * a, twice);
            add(odd_slope, static_cast<double>(n) * b, twice);
        }
        const T energy = p[0] + (dihedral.cosine * even.last - even.before + dihedral.sine * odd.last);
        const T slope = dihedral.cosine * odd_slope.last - odd_slope.before - dihedral.sine * even_slope.last;
        return sides.forces(dihedral, energy, slope);
    }

private:
    template <class T>
    struct Sums {
        T last, before;
    };
    template <class T>
    static HOLON_INLINE void add(Sums<T>& sums, T coefficient, T twice)
    {
        const T next = coefficient + twice * sums.last - sums.before;
        sums.before = sums.last;
        sums.last = next;
    }
};

} // namespace holon::bonded
