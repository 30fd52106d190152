#include "function_types/angle_restraint.hpp"
#include "function_types/bending_torsion.hpp"
#include "function_types/constraint_spring.hpp"
#include "function_types/cross_bond_angle.hpp"
#include "function_types/cross_bond_bond.hpp"
#include "function_types/cubic_bond.hpp"
#include "function_types/dihedral_restraint.hpp"
#include "function_types/fene_bond.hpp"
#include "function_types/linear_angle.hpp"
#include "function_types/morse_bond.hpp"
#include "function_types/quartic_angle.hpp"
#include "function_types/restraint_bond.hpp"
#include "function_types/restricted_angle.hpp"
#include "function_types/restricted_dihedral.hpp"
#include "function_types/tabulated.hpp"

/// Every kind that has no vectorised kernel and nothing but one energy and forces between its atoms: X(name, type).
#define HOLON_RARE_TERMS(X)                                                                                            \
    X(morse_bond, MorseBond)                                                                                           \
    X(cubic_bond, CubicBond)                                                                                           \
    X(fene_bond, FeneBond)                                                                                             \
    X(restraint_bond, RestraintBond)                                                                                   \
    X(cross_bond_bond, CrossBondBond)                                                                                  \
    X(cross_bond_angle, CrossBondAngle)                                                                                \
    X(quartic_angle, QuarticAngle)                                                                                     \
    X(linear_angle, LinearAngle)                                                                                       \
    X(restricted_angle, RestrictedAngle)                                                                               \
    X(restricted_dihedral, RestrictedDihedral)                                                                         \
    X(bending_torsion, BendingTorsion)                                                                                 \
    X(constraint_spring, ConstraintSpring)                                                                             \
    X(tabulated_bond, TabulatedBond)                                                                                   \
    X(tabulated_angle, TabulatedAngle)                                                                                 \
    X(tabulated_dihedral, TabulatedDihedral)                                                                           \
    X(angle_restraint, AngleRestraint)                                                                                 \
    X(angle_restraint_z, AngleRestraintZ)                                                                              \
    X(dihedral_restraint, DihedralRestraint)

namespace holon::bonded {

namespace {

template <class Term>
Ends ends_of(int force, int n_atoms)
{
    if constexpr (requires { Term::ends; })
        return Term::ends[force];
    else
        return {force, n_atoms - 1};
}

template <class Term>
void add_terms(const ScalarContext& context, const LocalTerms& terms, Interaction kind)
{
    const auto& info = interaction_info[static_cast<std::size_t>(kind)];
    for_each_term(context, terms, kind, [&](const std::int32_t* atoms, const InteractionParameters& p) {
        const auto term = Term::compute(Differences(context, atoms), p);
        if (context.sums != nullptr) context.sums->add(info.energy, term.energy[0]);
        int k = 0;
        for (const auto& f : term.f) {
            const auto [head, tail] = ends_of<Term>(k, info.atoms);
            add_force(context, atoms[head], atoms[tail], f, term.d[k++]);
        }
    });
}

} // namespace

void rare_terms(const ScalarContext& context, const LocalTermLists& lists)
{
#define X(name, type) add_terms<type>(context, lists[static_cast<std::size_t>(Interaction::name)], Interaction::name);
    HOLON_RARE_TERMS(X)
#undef X
}

} // namespace holon::bonded
