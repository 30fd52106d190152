#include "function_types/bonded_scalar.hpp"

namespace holon::bonded {

/// See MeshPart in excluded_pair.hpp, whose polynomial ends at the cutoff; few molecules have excluded atoms so far
/// apart.
void excluded_pair_beyond_cutoff(const ScalarContext& context, const LocalTerms& terms)
{
    const auto& constants = context.constants;
    const double cutoff2 = constants.r_coulomb * constants.r_coulomb;
    const auto& split = *constants.mesh->split;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const std::int32_t* const atoms = &terms.atoms[2 * t];
        const V3<double> d = difference(context, atoms[0], atoms[1]);
        const double r2 = dot(d, d);
        if (r2 < cutoff2) continue;
        const auto charge = [&](int a) { return context.atoms.charge[static_cast<std::size_t>(atoms[a])]; };
        const double strength = constants.coulomb_factor * charge(0) * charge(1), r = square_root(r2);
        add_term<2>(context, atoms, EnergyTerm::coulomb_exclusion,
                    {{strength * -split.smooth(r)}, {strength * -split.smooth_force(r) * d}, {d}});
    }
}

} // namespace holon::bonded
