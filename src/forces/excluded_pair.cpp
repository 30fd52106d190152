#include "bonded_detail.hpp"

#include <holon/mesh/mesh_settings.hpp>

#include <cmath>

namespace holon::bonded {

/// The part of the reaction field that excluded atoms feel: the medium beyond the cutoff answers to their charges like
/// to any other. V = K q_i q_j (k_rf r^2 - c_rf) within the Coulomb cutoff. No parameters.
/// I. G. Tironi et al., J. Chem. Phys. 102 (1995) 5451.
/// With an Ewald split, what the mesh gives to excluded atoms is taken off again: V = -K q_i q_j smooth(r), at any
/// distance; within the cutoff by the same polynomial as for other pairs.
void excluded_pair(const BondedContext& context, const LocalTerms& terms)
{
    const double cutoff2 = context.r_coulomb * context.r_coulomb;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const std::int32_t* atoms = &terms.atoms[2 * t];
        const Vec3 d = difference(context, atoms[0], atoms[1]);
        const double r2 = d.squaredNorm();
        if (r2 >= cutoff2 && context.mesh == nullptr) continue;
        const auto charge = [&](int a) { return context.charge[static_cast<std::size_t>(atoms[a])]; };
        const double strength = context.coulomb_factor * charge(0) * charge(1);
        if (context.mesh != nullptr) {
            const auto& pair = context.mesh->pair;
            const auto& split = *context.mesh->split;
            const bool near = r2 < cutoff2;
            if (context.want_energy)
                context.sums.add(EnergyTerm::coulomb_exclusion,
                                 strength * (near ? pair.energy_at(r2) : -split.smooth(std::sqrt(r2))));
            const double force = near ? pair.force_at(r2) : -split.smooth_force(std::sqrt(r2));
            add_forces<1>(context, atoms, {d}, {strength * force * d});
            continue;
        }
        if (context.want_energy)
            context.sums.add(EnergyTerm::coulomb_short, strength * (context.k_rf * r2 - context.c_rf));
        add_forces<1>(context, atoms, {d}, {-2.0 * strength * context.k_rf * d});
    }
}

} // namespace holon::bonded
