#include "bonded_detail.hpp"

namespace holon::bonded {

/// GROMOS-96: V = 1/4 k (b^2 - b0^2)^2. Parameters: b0 [nm], k [kJ/mol/nm^4].
void g96_bond(const BondedContext& context, const LocalTerms& terms)
{
    compute_bonds(context, terms, Interaction::g96_bond, [](double b, const InteractionParameters& p) {
        const double stretch = b * b - p[0] * p[0], k = p[1];
        return Potential{0.25 * k * stretch * stretch, k * stretch * b};
    });
}

} // namespace holon::bonded
