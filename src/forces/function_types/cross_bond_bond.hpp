#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// V = k (r_ij - r1) (r_jk - r2). Parameters: r1, r2 [nm], k [kJ/mol/nm^2].
struct CrossBondBond {
    static TermForces<double, 2> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> r_ij = r(0, 1), r_kj = r(2, 1);
        const double ij = length(r_ij), kj = length(r_kj), k = p[2];
        const double stretch_ij = ij - p[0], stretch_kj = kj - p[1];
        const V3<double> f_i = central_force(r_ij, ij, k * stretch_kj), f_k = central_force(r_kj, kj, k * stretch_ij);
        return {{k * stretch_ij * stretch_kj}, {f_i, -f_i - f_k}, {r_ij - r_kj, -r_kj}};
    }
};

} // namespace holon::bonded
