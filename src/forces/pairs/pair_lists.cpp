#include <holon/forces/pair_lists.hpp>

#include <holon/core/index.hpp>
#include <holon/core/parallel.hpp>

#include "close_radii.hpp"

namespace holon {

namespace {

constexpr std::size_t few_atoms = 1024; // for a thread

constexpr unsigned coulomb_bit = 1, vdw_bit = 2; // of MoleculeNeeds::lists

} // namespace

PairLists::PairLists(const Topology& topology, const NonbondedConstants& constants)
    : coulomb(topology), vdw(topology), topology_(topology), cutoff_coulomb_(constants.r_coulomb),
      cutoff_vdw_(constants.r_vdw), charge_radii_(pair::charge_radii(topology, constants)),
      type_radii_(pair::type_radii(topology, constants))
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
    std::vector<float> radii(n);
    const auto take = [&](unsigned bit, auto radius_of) {
        for (std::size_t i = 0; i < n; ++i)
            radii[i] = (partition.lists()[i] & bit) != 0 ? radius_of(i) : PairList::no_radius;
    };
    take(coulomb_bit, [&](std::size_t i) { return charge_radii_.of(atoms.charge[i]); });
    coulomb.build(atoms, radii, partition, cutoff_coulomb_, skin);
    take(vdw_bit, [&](std::size_t i) { return type_radii_[index(atoms.type[i])]; });
    vdw.build(atoms, radii, partition, cutoff_vdw_, skin);
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
