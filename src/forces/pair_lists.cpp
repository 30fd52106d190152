#include <holon/forces/pair_lists.hpp>

namespace holon {

PairLists::PairLists(const Topology& topology)
    : coulomb(topology), vdw(topology), has_vdw_(topology.atom_types.size(), 0)
{
    const auto n = topology.atom_types.size();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (topology.c6[i * n + j] != 0.0 || topology.c12[i * n + j] != 0.0) has_vdw_[i] = 1;
}

void PairLists::build(const Atoms& atoms, const Partition& partition, const NonbondedConstants& constants, double skin)
{
    const auto n = static_cast<std::size_t>(atoms.n_total);
    std::vector<std::uint8_t> takes_part(n);
    for (std::size_t i = 0; i < n; ++i) takes_part[i] = atoms.charge[i] != 0.0 ? 1 : 0;
    coulomb.build(atoms, takes_part, partition, constants.r_coulomb, skin);
    for (std::size_t i = 0; i < n; ++i) takes_part[i] = has_vdw_[static_cast<std::size_t>(atoms.type[i])];
    vdw.build(atoms, takes_part, partition, constants.r_vdw, skin);
}

} // namespace holon
