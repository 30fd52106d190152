#include "bonded_detail.hpp"

namespace holon::bonded {

/// V = k (1 + cos(n phi - phi0)). Parameters: phi0 [rad], k [kJ/mol], n.
void proper_dihedral(const BondedContext& context, const LocalTerms& terms)
{
    compute_dihedrals(context, terms, Interaction::proper_dihedral, EnergyTerm::proper_dihedral, periodic_dihedral);
}

} // namespace holon::bonded
