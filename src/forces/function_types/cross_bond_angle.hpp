#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// V = k (r_ik - r3) (r_ij - r1 + r_jk - r2). Parameters: r1, r2, r3 [nm], k [kJ/mol/nm^2].
struct CrossBondAngle {
    static TermForces<double, 2> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> r_ij = r(0, 1), r_kj = r(2, 1), r_ik = r_ij - r_kj;
        const double ij = length(r_ij), kj = length(r_kj), ik = length(r_ik), k = p[3];
        const double bonds = ij - p[0] + (kj - p[1]), ends = ik - p[2];
        const V3<double> apart = central_force(r_ik, ik, k * bonds);
        const V3<double> f_i = central_force(r_ij, ij, k * ends) + apart;
        const V3<double> f_k = central_force(r_kj, kj, k * ends) - apart;
        return {{k * bonds * ends}, {f_i, -f_i - f_k}, {r_ik, -r_kj}};
    }
};

} // namespace holon::bonded
