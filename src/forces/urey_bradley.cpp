#include "bonded_detail.hpp"

namespace holon::bonded {

/// CHARMM's angle with a spring between its ends: V = 1/2 k (theta - theta0)^2 + 1/2 k_UB (r_ik - r13)^2.
/// Parameters: theta0 [rad], k [kJ/mol/rad^2], r13 [nm], k_UB [kJ/mol/nm^2].
void urey_bradley(const BondedContext& context, const LocalTerms& terms)
{
    for_each_term(
        context, terms, Interaction::urey_bradley, [&](const std::int32_t* atoms, const InteractionParameters& p) {
            const Vec3 r_ij = difference(context, atoms[0], atoms[1]);
            const Vec3 r_kj = difference(context, atoms[2], atoms[1]);
            const Vec3 r_ik = r_ij - r_kj;
            const Angle angle(r_ij, r_kj);
            const double bend = angle.theta - p[0], k = p[1];
            const double distance = r_ik.norm();
            const double stretch = distance - p[2], k_ub = p[3];
            const Vec3 spring = central_force(r_ik, distance, k_ub * stretch);
            if (context.want_energy)
                context.sums.add(EnergyTerm::urey_bradley, 0.5 * k * bend * bend + 0.5 * k_ub * stretch * stretch);
            add_forces<2>(context, atoms, {r_ik, -r_kj},
                          {spring - k * bend * angle.gradient_i, k * bend * (angle.gradient_i + angle.gradient_k)});
        });
}

} // namespace holon::bonded
