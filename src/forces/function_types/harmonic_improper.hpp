#pragma once

#include "bonded_math.hpp"

namespace holon::bonded {

/// V = 1/2 k (xi - xi0)^2 with the difference taken round the circle. Parameters: xi0 [rad], k [kJ/mol/rad^2].
struct HarmonicImproper {
    static constexpr int n_atoms = 4;

    template <class T, class Difference, class Parameters>
    static HOLON_INLINE TermForces<T, 3> compute(const Difference& difference, const Parameters& p)
    {
        constexpr double turn = 6.28318530717958647692;
        constexpr double to_integer = 0x1.8p52; // added and taken off again, it leaves the nearest integer
        const DihedralSides<T> sides(difference);
        const Dihedral<T> dihedral = sides.dihedral();
        const T straight = dihedral.phi() - p[0];
        const T turns = (straight * (1.0 / turn) + to_integer) - to_integer;
        const T bend = straight - turns * turn, slope = p[1] * bend;
        return sides.forces(dihedral, 0.5 * slope * bend, slope);
    }
};

} // namespace holon::bonded
