#include "bonded_detail.hpp"

namespace holon::bonded {

/// The part of the reaction field that excluded atoms feel: the medium beyond the cutoff answers to their charges like
/// to any other. V = K q_i q_j (k_rf r^2 - c_rf) within the Coulomb cutoff. No parameters.
/// I. G. Tironi et al., J. Chem. Phys. 102 (1995) 5451.
void excluded_pair(const BondedContext& context, const LocalTerms& terms)
{
    const double cutoff2 = context.r_coulomb * context.r_coulomb;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const std::int32_t* atoms = &terms.atoms[2 * t];
        const Vec3 d = difference(context, atoms[0], atoms[1]);
        const double r2 = d.squaredNorm();
        if (r2 >= cutoff2) continue;
        const auto charge = [&](int a) { return context.charge[static_cast<std::size_t>(atoms[a])]; };
        const double strength = context.coulomb_factor * charge(0) * charge(1);
        if (context.want_energy)
            context.sums.add(EnergyTerm::coulomb_short, strength * (context.k_rf * r2 - context.c_rf));
        add_forces<1>(context, atoms, {d}, {-2.0 * strength * context.k_rf * d});
    }
}

} // namespace holon::bonded
