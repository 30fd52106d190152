#include <holon/forces/pair_lists.hpp>

#include <holon/core/parallel.hpp>

#include "force_table.hpp"
#include "pair_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

constexpr std::size_t few_atoms = 1024; // for a thread

constexpr unsigned coulomb_bit = 1, vdw_bit = 2; // of MoleculeNeeds::lists

/// The shortest distance [nm] beyond which a force is within the kernels' limit up to the cutoff, with room to spare.
template <class Force>
double safe_distance(double cutoff, Force force)
{
    constexpr double step = 0.999, of_limit = 0.9; // r^-13 changes by 1.3 % per step
    double r = cutoff;
    while (r > 1e-3 * cutoff && std::abs(force(r)) < of_limit * pair::wide_limit) r *= step;
    return r / step;
}

double largest_charge(const Topology& topology)
{
    double largest = 0.0;
    for (const auto& molecule : topology.molecule_types)
        for (const auto& atom : molecule.atoms) largest = std::max(largest, std::abs(atom.charge));
    return largest;
}

/// Also beyond where the kernels' table begins.
double safe_coulomb_distance(const Topology& topology, const NonbondedConstants& n)
{
    const pair::Constants<double> k(n);
    const double q = largest_charge(topology), qq = n.coulomb_factor * q * q;
    const auto form = n.mesh ? pair::Form::ewald : pair::form_of(n.coulomb_modifier);
    const double safe = safe_distance(n.r_coulomb, [&](double r) {
        return r * pair::with_form(form, [&](auto f) { return pair::coulomb_force<f.value>(r * r, 1.0 / r, qq, k); });
    });
    return n.mesh ? std::max(safe, pair::ForceTable::shortest_distance(n.r_coulomb)) : safe;
}

double safe_vdw_distance(const Topology& topology, const NonbondedConstants& n)
{
    const pair::Constants<double> k(n);
    const auto largest = [](const std::vector<double>& table) {
        double most = 0.0;
        for (const double c : table) most = std::max(most, std::abs(c));
        return most;
    };
    const double f6 = 6.0 * largest(topology.c6), f12 = 12.0 * largest(topology.c12);
    const auto bound = [&](auto form, double r) {
        constexpr auto f = decltype(form)::value;
        return r * (std::abs(pair::vdw_force<f>(r * r, 1.0 / r, f6, 0.0, k)) +
                    std::abs(pair::vdw_force<f>(r * r, 1.0 / r, 0.0, f12, k)));
    };
    return safe_distance(n.r_vdw, [&](double r) {
        return pair::with_form(pair::form_of(n.vdw_modifier), [&](auto form) { return bound(form, r); });
    });
}

} // namespace

PairLists::PairLists(const Topology& topology, const NonbondedConstants& constants)
    : coulomb(topology), vdw(topology), topology_(topology), cutoff_coulomb_(constants.r_coulomb),
      cutoff_vdw_(constants.r_vdw), close_coulomb_(safe_coulomb_distance(topology, constants)),
      close_vdw_(safe_vdw_distance(topology, constants))
{
}

void PairLists::add_needs(std::vector<MoleculeNeeds>& needs) const
{
    const auto n = topology_.atom_types.size();
    std::vector<bool> has_vdw(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (topology_.c6[i * n + j] != 0.0 || topology_.c12[i * n + j] != 0.0) has_vdw[i] = true;
    for (std::size_t type = 0; type < needs.size(); ++type) {
        needs[type].lists.clear();
        for (const auto& atom : topology_.molecule_types[type].atoms)
            needs[type].lists.push_back(
                static_cast<std::uint8_t>((atom.charge != 0.0 ? coulomb_bit : 0U) |
                                          (has_vdw[static_cast<std::size_t>(atom.type)] ? vdw_bit : 0U)));
    }
}

void PairLists::build(const Atoms& atoms, const Partition& partition, double skin)
{
    x_at_build_.assign(atoms.x.begin(), atoms.x.begin() + atoms.n_owned);
    const auto n = static_cast<std::size_t>(atoms.n_total);
    std::vector<std::uint8_t> takes_part(n);
    const auto take = [&](unsigned bit) {
        for (std::size_t i = 0; i < n; ++i) takes_part[i] = (partition.lists()[i] & bit) != 0 ? 1 : 0;
    };
    take(coulomb_bit);
    coulomb.build(atoms, takes_part, partition, cutoff_coulomb_, skin, close_coulomb_);
    take(vdw_bit);
    vdw.build(atoms, takes_part, partition, cutoff_vdw_, skin, close_vdw_);
}

void PairLists::follow_box(const Mat3& map)
{
    coulomb.follow_box(map);
    vdw.follow_box(map);
    parallel_for(x_at_build_.size(), few_atoms, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            x_at_build_[i] = to_lattice(map.transpose() * to_real(x_at_build_[i], position_unit), position_unit);
    });
}

double PairLists::largest_displacement2(const Atoms& atoms) const
{
    return PairList::largest_distance2(std::span(atoms.x).first(x_at_build_.size()), x_at_build_);
}

} // namespace holon
