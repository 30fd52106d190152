#include "bonded_detail.hpp"

namespace holon::bonded {

/// GROMOS-96: V = 1/2 k (cos theta - cos theta0)^2. Parameters: theta0 [rad], k [kJ/mol].
/// The cosine is smooth everywhere, so that collinear atoms need no exception; only atoms in one place do (no force).
void g96_angle(const BondedContext& context, const LocalTerms& terms)
{
    for_each_term(context, terms, Interaction::g96_angle,
                  [&](const std::int32_t* atoms, const InteractionParameters& p) {
                      const Vec3 r_ij = difference(context, atoms[0], atoms[1]);
                      const Vec3 r_kj = difference(context, atoms[2], atoms[1]);
                      const double length_ij = r_ij.norm(), length_kj = r_kj.norm();
                      if (length_ij == 0.0 || length_kj == 0.0) return;
                      const Vec3 u = r_ij / length_ij, w = r_kj / length_kj;
                      const double cosine = u.dot(w);
                      const double bend = cosine - std::cos(p[0]), k = p[1];
                      const Vec3 f_i = -k * bend * (w - cosine * u) / length_ij;
                      const Vec3 f_k = -k * bend * (u - cosine * w) / length_kj;
                      if (context.want_energy) context.sums.add(EnergyTerm::angle, 0.5 * k * bend * bend);
                      add_forces<2>(context, atoms, {r_ij - r_kj, -r_kj}, {f_i, -f_i - f_k});
                  });
}

} // namespace holon::bonded
