#include "bonded_detail.hpp"

namespace holon::bonded {

/// V = 1/2 k (theta - theta0)^2. Parameters: theta0 [rad], k [kJ/mol/rad^2].
void harmonic_angle(const BondedContext& context, const LocalTerms& terms)
{
    for_each_term(context, terms, Interaction::harmonic_angle,
                  [&](const std::int32_t* atoms, const InteractionParameters& p) {
                      const Vec3 r_ij = difference(context, atoms[0], atoms[1]);
                      const Vec3 r_kj = difference(context, atoms[2], atoms[1]);
                      const Angle angle(r_ij, r_kj);
                      const double bend = angle.theta - p[0], k = p[1];
                      if (context.want_energy) context.sums.add(EnergyTerm::angle, 0.5 * k * bend * bend);
                      add_forces<2>(context, atoms, {r_ij - r_kj, -r_kj},
                                    {-k * bend * angle.gradient_i, k * bend * (angle.gradient_i + angle.gradient_k)});
                  });
}

} // namespace holon::bonded
