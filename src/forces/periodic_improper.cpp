#include "bonded_detail.hpp"

namespace holon::bonded {

/// V = k (1 + cos(n phi - phi0)), counted as improper. Parameters: phi0 [rad], k [kJ/mol], n.
void periodic_improper(const BondedContext& context, const LocalTerms& terms)
{
    compute_dihedrals(context, terms, Interaction::periodic_improper, EnergyTerm::improper_dihedral, periodic_dihedral);
}

} // namespace holon::bonded
