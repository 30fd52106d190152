#include "close_radii.hpp"

#include <holon/core/index.hpp>

#include "force_table.hpp"
#include "pair_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace holon::pair {

namespace {

/// The shortest distance [nm] beyond which a force is within the kernels' limit up to the cutoff, with room to spare.
template <class Force>
double safe_distance(double cutoff, Force force)
{
    constexpr double step = 0.99, of_limit = 0.9; // r^-13 changes by 14 % per step
    double r = cutoff;
    while (r > 1e-3 * cutoff && std::abs(force(r)) < of_limit * wide_limit) r *= step;
    return r / step;
}

/// A radius for each of n kinds of atoms, so that two of them beyond the sum of their radii are beyond safe(i, j).
template <class Safe>
std::vector<float> radii(std::size_t n, Safe safe)
{
    std::vector<double> radius(n);
    for (std::size_t i = 0; i < n; ++i) radius[i] = 0.5 * safe(i, i);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (const double lack = safe(i, j) - radius[i] - radius[j]; lack > 0.0)
                for (const auto k : {i, j}) radius[k] += 0.5 * lack;
    constexpr double of_rounding = 1.0 + 1e-6;
    std::vector<float> rounded;
    for (const double r : radius) rounded.push_back(static_cast<float>(of_rounding * r));
    return rounded;
}

double largest_charge(const Topology& topology)
{
    double largest = 0.0;
    for (const auto& molecule : topology.molecule_types)
        for (const auto& atom : molecule.atoms) largest = std::max(largest, std::abs(atom.charge));
    return largest;
}

} // namespace

ChargeRadii charge_radii(const Topology& topology, const NonbondedConstants& n)
{
    const Constants<double> k(n);
    const auto form = n.mesh ? Form::ewald : form_of(n.coulomb_modifier);
    const double unit = largest_charge(topology) / ChargeRadii::n_kinds,
                 begin_of_table = n.mesh ? ForceTable::shortest_distance(n.r_coulomb) : 0.0;
    ChargeRadii charges;
    if (unit > 0.0) charges.kinds_per_e = 1.0 / unit;
    const auto found = radii(charges.of_kind.size(), [&](std::size_t i, std::size_t j) {
        const double qq = n.coulomb_factor * unit * unit * static_cast<double>(i * j);
        const auto force = [&](double r) {
            return r * with_form(form, [&](auto f) { return coulomb_force<f.value>(r * r, 1.0 / r, qq, k); });
        };
        return std::max(safe_distance(n.r_coulomb, force), begin_of_table);
    });
    std::ranges::copy(found, charges.of_kind.begin());
    return charges;
}

std::vector<float> type_radii(const Topology& topology, const NonbondedConstants& n)
{
    const Constants<double> k(n);
    const auto n_types = topology.atom_types.size();
    std::vector<std::uint8_t> any(n_types);
    for (const auto& molecule : topology.molecule_types)
        for (const auto& atom : molecule.atoms) any[index(atom.type)] = 1;
    std::vector<std::size_t> types;
    for (std::size_t t = 0; t < n_types; ++t)
        if (any[t] != 0) types.push_back(t);
    const auto of_used = radii(types.size(), [&](std::size_t i, std::size_t j) {
        const auto t = types[i] * n_types + types[j];
        const double six_c6 = 6.0 * topology.c6[t], twelve_c12 = 12.0 * topology.c12[t];
        if (six_c6 == 0.0 && twelve_c12 == 0.0) return 0.0;
        const auto force = [&](double r) {
            return r * with_form(form_of(n.vdw_modifier), [&](auto form) {
                       return vdw_force<form.value>(r * r, 1.0 / r, six_c6, twelve_c12, k);
                   });
        };
        return safe_distance(n.r_vdw, force);
    });
    std::vector<float> of_types(n_types, 0.0F);
    for (std::size_t i = 0; i < types.size(); ++i) of_types[types[i]] = of_used[i];
    return of_types;
}

} // namespace holon::pair
