#include "function_types/bonded_scalar.hpp"

#include <holon/core/error.hpp>

#include <string>

namespace holon::bonded {

/// CHARMM's correction map over the dihedrals phi = (0, 1, 2, 3) and psi = (1, 2, 3, 4) of five atoms.
/// Parameters: index of the map.
void cmap(const ScalarContext& context, const LocalTerms& terms)
{
    for_each_term(context, terms, Interaction::cmap, [&](const std::int32_t* atoms, const InteractionParameters& p) {
        const auto map = static_cast<std::size_t>(p[0]);
        HOLON_ASSERT(map < context.cmap.size(), "map " + std::to_string(map));
        const auto r01 = difference(context, atoms[0], atoms[1]);
        const auto r12 = difference(context, atoms[1], atoms[2]);
        const auto r23 = difference(context, atoms[2], atoms[3]);
        const auto r34 = difference(context, atoms[3], atoms[4]);
        const Dihedral<double> phi(r01, r12, -r23), psi(r12, r23, -r34);
        const auto v = context.cmap[map](phi.phi(), psi.phi());
        add_term<5>(
            context, atoms, EnergyTerm::cmap,
            {{v.energy},
             {-v.phi * phi.gradient_i, -v.phi * phi.gradient_j - v.psi * psi.gradient_i,
              -v.phi * phi.gradient_k - v.psi * psi.gradient_j, -v.phi * phi.gradient_l - v.psi * psi.gradient_k},
             {r01 + r12 + r23 + r34, r12 + r23 + r34, r23 + r34, r34}});
    });
}

} // namespace holon::bonded
