#pragma once

#include "bonded_math.hpp"

#include <holon/core/box.hpp>
#include <holon/forces/cmap_surface.hpp>
#include <holon/forces/nonbonded.hpp>
#include <holon/forces/restraint_frame.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/energies.hpp>
#include <holon/system/local_terms.hpp>
#include <holon/system/topology.hpp>

#include <array>
#include <span>

/// What the rare kinds of terms share, which are computed one by one.
namespace holon::bonded {

/// What went wrong with some term.
struct Alarms {
    bool clamped = false;      // a force, at force_bound
    bool beyond_table = false; // a length that its table does not reach
};

struct ScalarContext {
    const Topology& topology;
    const NonbondedConstants& constants;
    const Box& box;
    const RestraintFrame& restraints;
    std::span<const CmapSurface> cmap; // cmap_surfaces(topology)
    Atoms& atoms;                      // forces are added to
    ForceSums* sums;                   // energy and virial are added to; null: not wanted
    Alarms& alarms;
};

/// Adds forces, energies and virial of all terms of one kind.
using ScalarForce = void(const ScalarContext&, const LocalTerms&);
ScalarForce cmap, position_restraint, flat_bottom_restraint;
/// Of those pairs that the vectorised kernel leaves out.
ScalarForce excluded_pair_beyond_cutoff;

/// Likewise of the kinds that rare_terms.cpp lists.
void rare_terms(const ScalarContext& context, const LocalTermLists& lists);

/// x_i - x_j of local atoms, exact, nearest image [nm].
inline V3<double> difference(const ScalarContext& context, std::int32_t i, std::int32_t j)
{
    const auto x = [&](std::int32_t atom) -> const IVec3& { return context.atoms.x[static_cast<std::size_t>(atom)]; };
    const Vec3 d = to_real(context.box.minimum_image(x(i) - x(j)), position_unit);
    return {d[0], d[1], d[2]};
}

inline Vec3 to_vec3(const V3<double>& v)
{
    return {v.x, v.y, v.z};
}

inline IVec3 round_force(const Vec3& f)
{
    return {round_to_int_clamped(f[0] / force_unit), round_to_int_clamped(f[1] / force_unit),
            round_to_int_clamped(f[2] / force_unit)};
}

/// A force on atom `head` and its opposite on atom `tail`, whose difference is d.
inline void add_force(const ScalarContext& context, std::int32_t head, std::int32_t tail, const V3<double>& f,
                      const V3<double>& d)
{
    const auto round = [&context](double component) {
        const double units = component / force_unit;
        if (units < force_bound && units > -force_bound) return round_to_int_clamped(units);
        context.alarms.clamped = true; // also where it is NaN
        return static_cast<std::int64_t>(units <= -force_bound ? -force_bound : force_bound);
    };
    const IVec3 rounded(round(f.x), round(f.y), round(f.z));
    context.atoms.f[static_cast<std::size_t>(head)] += rounded;
    context.atoms.f[static_cast<std::size_t>(tail)] -= rounded;
    if (context.sums != nullptr) context.sums->add_virial(to_vec3(d), to_vec3(f));
}

/// Adds what a term gives to all its atoms but the last, and what makes the forces' sum exactly zero to the last.
template <int n>
void add_term(const ScalarContext& context, const std::int32_t* atoms, EnergyTerm energy,
              const TermForces<double, n - 1>& term)
{
    const auto force = [&](int a) -> IVec3& { return context.atoms.f[static_cast<std::size_t>(atoms[a])]; };
    if (context.sums != nullptr) context.sums->add(energy, term.energy[0]);
    IVec3 sum = IVec3::Zero();
    for (int a = 0; a + 1 < n; ++a) {
        const IVec3 rounded = round_force(to_vec3(term.f[a]));
        force(a) += rounded;
        sum += rounded;
        if (context.sums != nullptr) context.sums->add_virial(to_vec3(term.d[a]), to_vec3(term.f[a]));
    }
    force(n - 1) -= sum;
}

/// Calls term(atoms, parameters) for every term of a kind.
template <class Term>
void for_each_term(const ScalarContext& context, const LocalTerms& terms, Interaction kind, Term&& term)
{
    const auto k = static_cast<std::size_t>(kind);
    const auto n_atoms = static_cast<std::size_t>(interaction_info[k].atoms);
    for (std::size_t t = 0; t < terms.size(); ++t)
        term(&terms.atoms[n_atoms * t], context.topology.parameters[k][static_cast<std::size_t>(terms.parameters[t])]);
}

} // namespace holon::bonded
