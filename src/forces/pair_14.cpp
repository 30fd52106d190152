#include "bonded_detail.hpp"

namespace holon::bonded {

namespace {

/// Lennard-Jones and Coulomb of one pair at any distance. `qq`: the product of the charges, scaled [e^2].
void add_pair(const BondedContext& context, const std::int32_t* atoms, double c6, double c12, double qq)
{
    const Vec3 d = difference(context, atoms[0], atoms[1]);
    const double inverse2 = 1.0 / d.squaredNorm();
    const double inverse6 = inverse2 * inverse2 * inverse2;
    const double coulomb = context.coulomb_factor * qq * std::sqrt(inverse2);
    if (context.want_energy) {
        context.sums.add(EnergyTerm::lj_14, (c12 * inverse6 - c6) * inverse6);
        context.sums.add(EnergyTerm::coulomb_14, coulomb);
    }
    add_forces<1>(context, atoms, {d}, {((12.0 * c12 * inverse6 - 6.0 * c6) * inverse6 + coulomb) * inverse2 * d});
}

} // namespace

/// Atoms three bonds apart: V = c12/r^12 - c6/r^6 + fudgeQQ K q_i q_j / r, no cutoff, with the charges of the atoms.
/// Parameters: c6 [kJ/mol nm^6], c12 [kJ/mol nm^12].
void pair_14(const BondedContext& context, const LocalTerms& terms)
{
    for_each_term(context, terms, Interaction::pair_14, [&](const std::int32_t* atoms, const InteractionParameters& p) {
        const auto charge = [&](int a) { return context.charge[static_cast<std::size_t>(atoms[a])]; };
        add_pair(context, atoms, p[0], p[1], context.topology.fudge_qq * charge(0) * charge(1));
    });
}

/// As pair_14, with the product of the charges given. Parameters: c6 [kJ/mol nm^6], c12 [kJ/mol nm^12], qq [e^2].
void pair_14_explicit(const BondedContext& context, const LocalTerms& terms)
{
    for_each_term(
        context, terms, Interaction::pair_14_explicit,
        [&](const std::int32_t* atoms, const InteractionParameters& p) { add_pair(context, atoms, p[0], p[1], p[2]); });
}

} // namespace holon::bonded
