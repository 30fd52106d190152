#include "bonded_detail.hpp"

namespace holon::bonded {

/// V = 1/2 k (b - b0)^2. Parameters: b0 [nm], k [kJ/mol/nm^2].
void harmonic_bond(const BondedContext& context, const LocalTerms& terms)
{
    compute_bonds(context, terms, Interaction::harmonic_bond, [](double b, const InteractionParameters& p) {
        const double stretch = b - p[0], k = p[1];
        return Potential{0.5 * k * stretch * stretch, k * stretch};
    });
}

} // namespace holon::bonded
