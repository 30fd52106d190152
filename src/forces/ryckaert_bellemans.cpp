#include "bonded_detail.hpp"

namespace holon::bonded {

/// J. P. Ryckaert, A. Bellemans, Chem. Phys. Lett. 30 (1975) 123: V = sum of C_n cos^n psi, psi = phi - 180 degrees
/// (cis is 180). Parameters: C0 .. C5 [kJ/mol].
void ryckaert_bellemans(const BondedContext& context, const LocalTerms& terms)
{
    compute_dihedrals(context, terms, Interaction::ryckaert_bellemans, EnergyTerm::ryckaert_bellemans,
                      [](double phi, const InteractionParameters& c) {
                          const double cosine = -std::cos(phi);
                          double energy = c[5], derivative = 0.0; // by the cosine; Horner
                          for (int n = 4; n >= 0; --n) {
                              derivative = derivative * cosine + energy;
                              energy = energy * cosine + c[static_cast<std::size_t>(n)];
                          }
                          return Potential{energy, derivative * std::sin(phi)};
                      });
}

} // namespace holon::bonded
