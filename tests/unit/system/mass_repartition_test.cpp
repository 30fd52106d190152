// Heavy hydrogens: who gets mass, from whom, and when that can not be.
#include <holon/core/error.hpp>
#include <holon/system/mass_repartition.hpp>

#include <support/systems.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

std::vector<double> masses_after(const MoleculeType& type, double factor, Notes& notes)
{
    Topology topology;
    topology.molecule_types = {type};
    topology.blocks = {{0, 2, 0, 0}};
    repartition_masses(topology, factor, "mass-repartition-factor = 3", notes);
    std::vector<double> masses;
    for (const auto& atom : topology.molecule_types[0].atoms) masses.push_back(atom.mass);
    return masses;
}

TEST(MassRepartition, TakesFromTheOneNeighbour)
{
    // What holds the light atoms apart is no bond, and neither is the way from a site to one of them.
    auto type = molecule("M", {20.0, 2.0, 3.0, 0.0}, {{1, 2, 0.1}});
    type.bonds = {{0, 1}, {2, 0}, {0, 2}, {1, 3}};
    Notes notes;
    EXPECT_EQ(masses_after(type, 3.0, notes), (std::vector{13.0, 6.0, 6.0, 0.0}));
    EXPECT_EQ(masses_after(type, 1.0, notes), (std::vector{20.0, 2.0, 3.0, 0.0}));
    EXPECT_TRUE(notes.texts().empty());
}

TEST(MassRepartition, KeepsWaterRigidAndSymmetric)
{
    Notes notes;
    const auto masses = masses_after(rigid_water(0.1, 0.16), 3.0, notes);
    EXPECT_EQ(masses[1], masses[2]);
    const auto before = rigid_water(0.1, 0.16).atoms;
    EXPECT_DOUBLE_EQ(masses[1], 3.0 * before[1].mass);
    EXPECT_DOUBLE_EQ(masses[0] + masses[1] + masses[2], before[0].mass + before[1].mass + before[2].mass);
}

TEST(MassRepartition, RefusesWhatHasNoAnswer)
{
    Notes notes;
    auto bridge = molecule("Bridge", {16.0, 1.0, 16.0}, {});
    bridge.bonds = {{0, 1}, {1, 2}};
    EXPECT_THROW(masses_after(bridge, 3.0, notes), InputError);
    auto light = molecule("Light", {4.0, 1.0}, {});
    light.bonds = {{0, 1}};
    EXPECT_THROW(masses_after(light, 3.0, notes), InputError);
    EXPECT_TRUE(notes.texts().empty());
    EXPECT_EQ(masses_after(molecule("Free", {1.0, 16.0}, {}), 3.0, notes), (std::vector{1.0, 16.0}));
    EXPECT_EQ(notes.texts().size(), 1U);
}

} // namespace
} // namespace holon::test
