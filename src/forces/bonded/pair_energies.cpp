#include "pair_energies.hpp"

#include <holon/core/index.hpp>

#include <cmath>

namespace holon::bonded {

namespace {

/// What electrostatics leaves between excluded atoms, per K q_i q_j [1/nm]: see excluded_pair.hpp.
double rest_of_excluded(const NonbondedConstants& n, double r2)
{
    const bool near = r2 < n.r_coulomb * n.r_coulomb;
    if (!n.mesh) return near ? n.k_rf * r2 - n.c_rf : 0.0;
    if (!near) return -n.mesh->split->smooth(std::sqrt(r2));
    const auto& polynomial = n.mesh->pair;
    const double s = r2 / (polynomial.cutoff * polynomial.cutoff) - 0.5;
    double sum = 0.0;
    for (auto k = polynomial.energy.size(); k-- > 0;) sum = sum * s + polynomial.energy[k];
    return sum;
}

} // namespace

void pair_energies(const PairContext& context, const LocalTermLists& lists,
                   const std::function<void(const BondedForces::PairTerm&)>& use)
{
    const auto& [topology, constants, box, atoms] = context;
    for (const auto kind : {Interaction::pair_14, Interaction::pair_14_explicit, Interaction::pair_explicit,
                            Interaction::excluded_pair}) {
        const auto& terms = lists[static_cast<std::size_t>(kind)];
        for (std::size_t t = 0; t < terms.size(); ++t) {
            const auto i = terms.atoms[2 * t], j = terms.atoms[2 * t + 1];
            const Vec3 d = to_real(box.minimum_image(atoms.x[index(i)] - atoms.x[index(j)]), position_unit);
            const double r2 = d[0] * d[0] + (d[1] * d[1] + d[2] * d[2]);
            const double qq = atoms.charge[index(i)] * atoms.charge[index(j)];
            BondedForces::PairTerm term{interaction_info[static_cast<std::size_t>(kind)].energy == EnergyTerm::lj_14, i,
                                        j, 0.0, 0.0};
            if (kind == Interaction::excluded_pair) {
                term.coulomb = constants.coulomb_factor * qq * rest_of_excluded(constants, r2);
            } else {
                const auto& p = topology.parameters[static_cast<std::size_t>(kind)][index(terms.parameters[t])];
                const double product = kind == Interaction::pair_14 ? topology.fudge_qq * qq : p[2];
                const double inverse2 = 1.0 / r2, inverse6 = inverse2 * inverse2 * inverse2;
                term.lj = (p[1] * inverse6 - p[0]) * inverse6;
                term.coulomb = constants.coulomb_factor * product * std::sqrt(inverse2);
            }
            use(term);
        }
    }
}

} // namespace holon::bonded
