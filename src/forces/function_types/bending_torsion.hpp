#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// A torsion that vanishes with the third power of the sines of the angles beside it, where three atoms come into line:
/// V = sin^3 theta1 sin^3 theta2 sum over n from 0 to 4 of a_n cos^n phi. M. Bulacu et al., J. Chem. Theory Comput. 9
/// (2013) 3282, equation 12. Parameters: a_0 to a_4 [kJ/mol].
struct BendingTorsion {
    static TermForces<double, 3> compute(const Differences& r, const InteractionParameters& p)
    {
        const DihedralSides<double> sides(r);
        const auto dihedral = sides.dihedral();
        const AngleCosine first(sides.r_ij, -sides.r_jk), second(sides.r_jk, sides.r_lk);
        const double s1 = square_root(first.sine2), s2 = square_root(second.sine2), c = dihedral.cosine;
        const double cube1 = first.sine2 * s1, cube2 = second.sine2 * s2;
        const double torsion = (((p[4] * c + p[3]) * c + p[2]) * c + p[1]) * c + p[0];
        const double by_cosine = ((4.0 * p[4] * c + 3.0 * p[3]) * c + 2.0 * p[2]) * c + p[1];
        // By the cosine of an angle, the cube of its sine changes by -3 sin cos.
        const double by_first = -3.0 * s1 * first.cosine * cube2 * torsion;
        const double by_second = -3.0 * s2 * second.cosine * cube1 * torsion;
        auto term = sides.forces(dihedral, cube1 * cube2 * torsion, -dihedral.sine * by_cosine * cube1 * cube2);
        const V3<double> i = by_first * first.gradient_i, k = by_first * first.gradient_k;
        const V3<double> j = by_second * second.gradient_i, l = by_second * second.gradient_k;
        term.f[0] = term.f[0] - i;
        term.f[1] = term.f[1] + (i + k) - j;
        term.f[2] = term.f[2] - k + (j + l);
        return term;
    }
};

} // namespace holon::bonded
