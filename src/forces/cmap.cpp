#include "bonded_detail.hpp"

#include <holon/core/error.hpp>
#include <holon/forces/cmap_surface.hpp>

#include <string>

namespace holon::bonded {

/// CHARMM's correction map over the dihedrals phi = (0, 1, 2, 3) and psi = (1, 2, 3, 4) of five atoms.
/// Parameters: index of the map.
void cmap(const BondedContext& context, const LocalTerms& terms)
{
    for_each_term(context, terms, Interaction::cmap, [&](const std::int32_t* atoms, const InteractionParameters& p) {
        const auto map = static_cast<std::size_t>(p[0]);
        HOLON_ASSERT(map < context.cmap.size(), "map " + std::to_string(map));
        const Vec3 r01 = difference(context, atoms[0], atoms[1]);
        const Vec3 r12 = difference(context, atoms[1], atoms[2]);
        const Vec3 r23 = difference(context, atoms[2], atoms[3]);
        const Vec3 r34 = difference(context, atoms[3], atoms[4]);
        const Dihedral phi(r01, r12, -r23);
        const Dihedral psi(r12, r23, -r34);
        const auto v = context.cmap[map](phi.phi, psi.phi);
        if (context.want_energy) context.sums.add(EnergyTerm::cmap, v.energy);
        add_forces<4>(context, atoms, {r01 + r12 + r23 + r34, r12 + r23 + r34, r23 + r34, r34},
                      {-v.phi * phi.gradient_i, -v.phi * phi.gradient_j - v.psi * psi.gradient_i,
                       -v.phi * phi.gradient_k - v.psi * psi.gradient_j,
                       -v.phi * phi.gradient_l - v.psi * psi.gradient_k});
    });
}

} // namespace holon::bonded
