#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <gtest/gtest.h>

namespace holon {
namespace {

MoleculeType molecule(std::size_t n_atoms, double charge)
{
    MoleculeType type;
    for (std::size_t k = 0; k < n_atoms; ++k)
        type.atoms.push_back({0, 1.0, charge, 0, std::string("A").append(std::to_string(k))});
    return type;
}

/// 2 x three atoms, 4 x one atom, 1 x three atoms.
Topology sample()
{
    Topology topology;
    topology.molecule_types = {molecule(3, 0.5), molecule(1, -1.0)};
    topology.molecule_types[0].settles.push_back({0, 0.1, 0.16});
    topology.molecule_types[0].constraints.push_back({0, 1, 0.1});
    topology.blocks = {{0, 2, 0, 0}, {1, 4, 6, 2}, {0, 1, 10, 6}};
    return topology;
}

TEST(Topology, Counts)
{
    const Topology topology = sample();
    EXPECT_EQ(topology.n_atoms(), 13);
    EXPECT_EQ(topology.n_molecules(), 7);
    EXPECT_EQ(topology.n_constraints(), 3 * (3 + 1));
    EXPECT_DOUBLE_EQ(topology.total_charge(), 0.5);
    EXPECT_EQ(Topology{}.n_atoms(), 0);
    EXPECT_EQ(Topology{}.n_molecules(), 0);
}

TEST(Topology, PlacesEveryAtom)
{
    const Topology topology = sample();
    AtomId id = 0;
    std::int64_t molecule_number = 0;
    for (std::size_t b = 0; b < topology.blocks.size(); ++b) {
        const MoleculeBlock& block = topology.blocks[b];
        const auto size =
            static_cast<std::int32_t>(topology.molecule_types[static_cast<std::size_t>(block.type)].atoms.size());
        for (std::int64_t m = 0; m < block.count; ++m, ++molecule_number) {
            for (std::int32_t k = 0; k < size; ++k, ++id) {
                const AtomPlace place = topology.place(id);
                EXPECT_EQ(place.block, static_cast<int>(b));
                EXPECT_EQ(place.molecule_type, block.type);
                EXPECT_EQ(place.molecule, molecule_number);
                EXPECT_EQ(place.index, k);
                EXPECT_EQ(place.molecule_start, id - k);
                EXPECT_EQ(topology.atom(id).name, std::string("A").append(std::to_string(k)));
            }
        }
    }
    EXPECT_EQ(id, topology.n_atoms());
}

TEST(AtomGroup, SizeAndMembers)
{
    const AtomGroup group{"g", {{2, 4}, {4, 5}, {9, 10}}};
    EXPECT_EQ(group.size(), 4);
    for (AtomId id = 0; id < 12; ++id) EXPECT_EQ(group.contains(id), (id >= 2 && id < 5) || id == 9) << id;
    EXPECT_EQ(AtomGroup{}.size(), 0);
    EXPECT_FALSE(AtomGroup{}.contains(0));
}

} // namespace
} // namespace holon
