#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// Keeps an atom on the line between two others: V = 1/2 k (r_j - a r_i - (1 - a) r_k)^2. Parameters: a, k
/// [kJ/mol/nm^2]. D. van der Spoel, H. Henschel, P. J. van Maaren, M. M. Ghahremanpour, L. T. Costa, J. Chem. Phys. 153
/// (2020) 084503.
struct LinearAngle {
    static TermForces<double, 2> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> r_ij = r(0, 1), r_kj = r(2, 1);
        const double a = p[0], b = 1.0 - a, k = p[1];
        const V3<double> off = -(a * r_ij + b * r_kj), pull = k * off;
        return {{0.5 * k * dot(off, off)}, {a * pull, -pull}, {r_ij - r_kj, -r_kj}};
    }
};

} // namespace holon::bonded
