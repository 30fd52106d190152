#pragma once

#include "rare_term.hpp"

#include <holon/core/portable_math.hpp>

namespace holon::bonded {

/// See RestrictedPotential; of a dihedral, which it keeps on its side of 0 and pi. Parameters: phi0 [rad], k [kJ/mol].
struct RestrictedDihedral {
    static TermForces<double, 3> compute(const Differences& r, const InteractionParameters& p)
    {
        const DihedralSides<double> sides(r);
        const auto dihedral = sides.dihedral();
        const RestrictedPotential v(dihedral.cosine, dihedral.sine * dihedral.sine, portable::cos(p[0]), p[1]);
        return sides.forces(dihedral, v.energy, -dihedral.sine * v.slope);
    }
};

} // namespace holon::bonded
