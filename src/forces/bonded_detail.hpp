#pragma once

#include <holon/forces/bonded.hpp>

#include <cmath>

/// What the bonded forces share: exact differences, angles and dihedrals with their gradients, and the rounding that
/// lets the forces of a term cancel to the last bit.
namespace holon::bonded {

#define X(name, atoms, parameters) void name(const BondedContext&, const LocalTerms&);
HOLON_INTERACTIONS(X)
#undef X

/// A potential of one coordinate and its derivative by that coordinate.
struct Potential {
    double energy;
    double slope;
};

/// x_i - x_j of local atoms, exact, nearest image [nm].
inline Vec3 difference(const BondedContext& context, std::int32_t i, std::int32_t j)
{
    const auto x = [&](std::int32_t atom) -> const IVec3& { return context.x[static_cast<std::size_t>(atom)]; };
    return to_real(context.box.minimum_image(x(i) - x(j)), position_unit);
}

inline IVec3 round_force(const Vec3& f)
{
    return {round_to_int_clamped(f[0] / force_unit), round_to_int_clamped(f[1] / force_unit),
            round_to_int_clamped(f[2] / force_unit)};
}

/// Adds the forces f[a] of one term to all its atoms but the last, and what makes their sum exactly zero to the last.
/// d[a] = x_a - x_last [nm], for the virial.
template <std::size_t n>
void add_forces(const BondedContext& context, const std::int32_t* atoms, const std::array<Vec3, n>& d,
                const std::array<Vec3, n>& f)
{
    IVec3 sum = IVec3::Zero();
    for (std::size_t a = 0; a < n; ++a) {
        const IVec3 rounded = round_force(f[a]);
        context.f[static_cast<std::size_t>(atoms[a])] += rounded;
        sum += rounded;
        if (context.want_energy) context.sums.add_virial(d[a], f[a]);
    }
    context.f[static_cast<std::size_t>(atoms[n])] -= sum;
}

/// Calls term(atoms, parameters) for every term of a kind.
template <class Term>
void for_each_term(const BondedContext& context, const LocalTerms& terms, Interaction kind, Term&& term)
{
    const auto k = static_cast<std::size_t>(kind);
    const auto n_atoms = static_cast<std::size_t>(interaction_info[k].atoms);
    for (std::size_t t = 0; t < terms.size(); ++t)
        term(&terms.atoms[n_atoms * t], context.topology.parameters[k][static_cast<std::size_t>(terms.parameters[t])]);
}

/// -V'(r) r/|r|, the force on the head of a difference d of length r. Two atoms in one place attract or repel in no
/// direction: zero.
inline Vec3 central_force(const Vec3& d, double r, double slope)
{
    return r > 0.0 ? Vec3(-slope / r * d) : Vec3::Zero();
}

/// Potentials V(r) of the distance of two atoms.
template <class Function>
void compute_bonds(const BondedContext& context, const LocalTerms& terms, Interaction kind, Function&& potential)
{
    for_each_term(context, terms, kind, [&](const std::int32_t* atoms, const InteractionParameters& p) {
        const Vec3 d = difference(context, atoms[0], atoms[1]);
        const double r = d.norm();
        const Potential v = potential(r, p);
        if (context.want_energy) context.sums.add(EnergyTerm::bond, v.energy);
        add_forces<1>(context, atoms, {d}, {central_force(d, r, v.slope)});
    });
}

/// Sine squared below which three atoms count as collinear: their plane, and with it the direction of a force that
/// bends or twists them, is lost in the rounding. Such a force is taken as zero.
inline constexpr double collinear = 1e-14;

/// The angle i-j-k [rad] and its gradients [rad/nm]; that of j is minus the sum of the others.
struct Angle {
    Angle(const Vec3& r_ij, const Vec3& r_kj);

    double theta;
    Vec3 gradient_i, gradient_k;
};

/// The dihedral i-j-k-l [rad] in (-pi, pi], trans = pi, positive when l is clockwise from i seen from j to k (IUPAC),
/// and its gradients [rad/nm].
struct Dihedral {
    Dihedral(const Vec3& r_ij, const Vec3& r_jk, const Vec3& r_lk);

    double phi;
    Vec3 gradient_i, gradient_j, gradient_k, gradient_l;
};

/// Potentials V(phi) of a dihedral.
template <class Function>
void compute_dihedrals(const BondedContext& context, const LocalTerms& terms, Interaction kind, EnergyTerm energy,
                       Function&& potential)
{
    for_each_term(context, terms, kind, [&](const std::int32_t* atoms, const InteractionParameters& p) {
        const Vec3 r_ij = difference(context, atoms[0], atoms[1]);
        const Vec3 r_jk = difference(context, atoms[1], atoms[2]);
        const Vec3 r_lk = difference(context, atoms[3], atoms[2]);
        const Dihedral dihedral(r_ij, r_jk, r_lk);
        const Potential v = potential(dihedral.phi, p);
        if (context.want_energy) context.sums.add(energy, v.energy);
        add_forces<3>(context, atoms, {r_ij + r_jk - r_lk, r_jk - r_lk, -r_lk},
                      {-v.slope * dihedral.gradient_i, -v.slope * dihedral.gradient_j, -v.slope * dihedral.gradient_k});
    });
}

/// k (1 + cos(n phi - phi0)): proper and periodic improper dihedrals.
inline Potential periodic_dihedral(double phi, const InteractionParameters& p)
{
    const auto [phi0, k, n, unused_3, unused_4, unused_5] = p;
    const double argument = n * phi - phi0;
    return {k * (1.0 + std::cos(argument)), -k * n * std::sin(argument)};
}

} // namespace holon::bonded
