#pragma once

#include "rare_term.hpp"

#include <holon/core/portable_math.hpp>

namespace holon::bonded {

/// P. M. Morse, Phys. Rev. 34 (1929) 57: V = D (1 - exp(-beta (b - b0)))^2. Parameters: b0 [nm], D [kJ/mol], beta
/// [1/nm].
struct MorseBond {
    static TermForces<double, 1> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> d = r(0, 1);
        const double b = length(d), depth = p[1], beta = p[2];
        const double decay = portable::exp(-beta * (b - p[0]));
        const double slope = 2.0 * depth * beta * decay * (1.0 - decay);
        return {{depth * (1.0 - decay) * (1.0 - decay)}, {central_force(d, b, slope)}, {d}};
    }
};

} // namespace holon::bonded
