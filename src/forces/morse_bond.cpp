#include "bonded_scalar.hpp"

#include <holon/core/portable_math.hpp>

namespace holon::bonded {

/// P. M. Morse, Phys. Rev. 34 (1929) 57: V = D (1 - exp(-beta (b - b0)))^2. Parameters: b0 [nm], D [kJ/mol], beta
/// [1/nm].
void morse_bond(const ScalarContext& context, const LocalTerms& terms)
{
    for_each_term(context, terms, Interaction::morse_bond,
                  [&](const std::int32_t* atoms, const InteractionParameters& p) {
                      const V3<double> d = difference(context, atoms[0], atoms[1]);
                      const double b = square_root(dot(d, d)), depth = p[1], beta = p[2];
                      const double decay = portable::exp(-beta * (b - p[0]));
                      const double slope = 2.0 * depth * beta * decay * (1.0 - decay);
                      add_term<2>(context, atoms, EnergyTerm::bond,
                                  {{depth * (1.0 - decay) * (1.0 - decay)}, {central_force(d, b, slope)}, {d}});
                  });
}

} // namespace holon::bonded
