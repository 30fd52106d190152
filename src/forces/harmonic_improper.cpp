#include "bonded_detail.hpp"

#include <holon/core/units.hpp>

namespace holon::bonded {

/// V = 1/2 k (xi - xi0)^2 with the difference taken round the circle. Parameters: xi0 [rad], k [kJ/mol/rad^2].
void harmonic_improper(const BondedContext& context, const LocalTerms& terms)
{
    compute_dihedrals(context, terms, Interaction::harmonic_improper, EnergyTerm::improper_dihedral,
                      [](double xi, const InteractionParameters& p) {
                          const double bend = std::remainder(xi - p[0], 2.0 * units::pi), k = p[1];
                          return Potential{0.5 * k * bend * bend, k * bend};
                      });
}

} // namespace holon::bonded
