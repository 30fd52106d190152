#pragma once

#include "rare_term.hpp"

#include <holon/core/portable_math.hpp>

namespace holon::bonded {

/// Bonds of bead-spring polymers that cannot be longer than bm: V = -1/2 k bm^2 ln(1 - b^2/bm^2). Parameters: bm [nm],
/// k [kJ/mol/nm^2]. What is stretched to bm or beyond gets the largest force, so that the run says that it failed; a
/// minimisation pulls it back.
struct FeneBond {
    static TermForces<double, 1> compute(const Differences& r, const InteractionParameters& p)
    {
        constexpr double least = 1e-15;
        const V3<double> d = r(0, 1);
        const double b2 = dot(d, d), bm2 = p[0] * p[0], k = p[1], room = 1.0 - b2 / bm2;
        const double left = room > least ? room : least;
        return {{-0.5 * k * bm2 * portable::log(left)}, {(-k / left) * d}, {d}};
    }
};

} // namespace holon::bonded
