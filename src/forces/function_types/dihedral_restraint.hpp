#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// A dihedral that is free within dphi of phi0, round the circle: V = 1/2 k times the square of what it is beyond.
/// Parameters: phi0, dphi [rad], k [kJ/mol/rad^2].
struct DihedralRestraint {
    static TermForces<double, 3> compute(const Differences& r, const InteractionParameters& p)
    {
        constexpr double turn = 6.28318530717958647692, to_integer = 0x1.8p52;
        const DihedralSides<double> sides(r);
        const auto dihedral = sides.dihedral();
        const double straight = dihedral.phi() - p[0];
        const double off = straight - ((straight * (1.0 / turn) + to_integer) - to_integer) * turn;
        const double beyond = off > p[1] ? off - p[1] : off < -p[1] ? off + p[1] : 0.0;
        return sides.forces(dihedral, 0.5 * p[2] * beyond * beyond, p[2] * beyond);
    }
};

} // namespace holon::bonded
