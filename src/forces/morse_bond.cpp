#include "bonded_detail.hpp"

namespace holon::bonded {

/// P. M. Morse, Phys. Rev. 34 (1929) 57: V = D (1 - exp(-beta (b - b0)))^2. Parameters: b0 [nm], D [kJ/mol], beta
/// [1/nm].
void morse_bond(const BondedContext& context, const LocalTerms& terms)
{
    compute_bonds(context, terms, Interaction::morse_bond, [](double b, const InteractionParameters& p) {
        const double depth = p[1], beta = p[2];
        const double decay = std::exp(-beta * (b - p[0]));
        return Potential{depth * (1.0 - decay) * (1.0 - decay), 2.0 * depth * beta * decay * (1.0 - decay)};
    });
}

} // namespace holon::bonded
