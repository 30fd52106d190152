// Which angles become constraints with h-angles and all-angles: as gmx grompp 2022.5 has it for the same molecules.
#include "topology_case.hpp"

#include <holon/core/units.hpp>
#include <holon/dynamics/kinetic.hpp>

#include <cmath>
#include <map>
#include <utility>

namespace holon::test {
namespace {

using Pairs = std::map<std::pair<int, int>, double>; // atoms, counted from 1, and length

const std::string types =
    "[ defaults ]\n1 2 yes 0.5 0.8333\n"
    "[ atomtypes ]\nCT 6 12.011 0 A 0.34 0.45\nHC 1 1.008 0 A 0.26 0.06\nOH 8 15.9994 0 A 0.31 0.65\n"
    "HO 1 1.008 0 A 0.3 0.01\n"
    "[ bondtypes ]\nCT CT 1 0.153 260000\nCT HC 1 0.109 280000\nCT OH 1 0.141 260000\nOH HO 1 0.096 460000\n"
    "[ angletypes ]\nHC CT HC 1 107.8 270\nHC CT CT 1 110.7 310\nHC CT OH 1 109.5 290\nCT OH HO 1 108.5 460\n"
    "CT CT OH 1 109.5 400\nHC CT HC 5 107.8 270 0.176 4000\nHC CT HC 2 107.8 270\n";

const std::string atoms = "[ moleculetype ]\nETH 3\n[ atoms ]\n1 CT 1 ETH C1 1 0\n2 HC 1 ETH H11 1 0\n"
                          "3 HC 1 ETH H12 1 0\n4 HC 1 ETH H13 1 0\n5 CT 1 ETH C2 1 0\n6 HC 1 ETH H21 1 0\n"
                          "7 HC 1 ETH H22 1 0\n8 OH 1 ETH O 1 0\n9 HO 1 ETH HO 1 0\n";
const std::string bonds = "[ bonds ]\n1 2 1\n1 3 1\n1 4 1\n1 5 1\n5 6 1\n5 7 1\n5 8 1\n8 9 1\n";
const std::string angles = "2 1 4 1\n3 1 4 1\n2 1 5 1\n3 1 5 1\n4 1 5 1\n1 5 6 1\n1 5 7 1\n1 5 8 1\n6 5 7 1\n"
                           "6 5 8 1\n7 5 8 1\n5 8 9 1\n";
const std::string end = "[ system ]\nEthanol\n[ molecules ]\nETH 2\n";
const std::string ethanol = types + atoms + bonds + "[ angles ]\n2 1 3 1\n" + angles + end;

/// The pairs from [ bonds ] or from [ angles ].
Pairs pairs(const Topology& topology, bool from_angle)
{
    Pairs result;
    for (const auto& c : topology.molecule_types.at(0).constraints)
        if (c.from_angle == from_angle) {
            EXPECT_TRUE(result.insert({{c.i + 1, c.j + 1}, c.length}).second);
        }
    return result;
}

void expect_pairs(const Pairs& found, const Pairs& expected)
{
    EXPECT_EQ(found.size(), expected.size());
    for (const auto& [ends, length] : expected) {
        const auto at = found.find(ends);
        ASSERT_NE(at, found.end()) << ends.first << " " << ends.second;
        EXPECT_NEAR(at->second, length, 2e-8) << ends.first << " " << ends.second; // grompp's are of single precision
    }
}

/// Lengths as gmx dump prints them.
constexpr double hh = 1.76141798e-01, co_h = 1.94131583e-01;

TEST(TopologyAngles, OfHydrogens)
{
    const auto topology = topology_of(ethanol, ConstraintKind::h_angles);
    EXPECT_EQ(pairs(topology, false).size(), 8u);
    expect_pairs(pairs(topology, true), {{{2, 3}, hh}, {{2, 4}, hh}, {{3, 4}, hh}, {{6, 7}, hh}, {{5, 9}, co_h}});
    const std::vector<std::int32_t> left = {1, 0, 4, 2, 0, 4, 3, 0, 4, 0, 4, 5, 0, 4, 6, 0, 4, 7, 5, 4, 7, 6, 4, 7};
    EXPECT_EQ(terms(topology, Interaction::harmonic_angle).atoms, left);
    EXPECT_EQ(terms(topology, Interaction::harmonic_bond).size(), 0u);
    EXPECT_EQ(count_degrees_of_freedom(topology, {}).total, 2.0 * (27 - 8 - 5));
}

TEST(TopologyAngles, All)
{
    const auto topology = topology_of(ethanol, ConstraintKind::all_angles);
    EXPECT_EQ(pairs(topology, false).size(), 8u);
    constexpr double h_c = 2.16978788e-01, h_o = 2.04994038e-01, c_o = 2.40192488e-01;
    expect_pairs(pairs(topology, true), {{{2, 3}, hh},
                                         {{2, 4}, hh},
                                         {{3, 4}, hh},
                                         {{6, 7}, hh},
                                         {{5, 9}, co_h},
                                         {{2, 5}, h_c},
                                         {{3, 5}, h_c},
                                         {{4, 5}, h_c},
                                         {{1, 6}, h_c},
                                         {{1, 7}, h_c},
                                         {{1, 8}, c_o},
                                         {{6, 8}, h_o},
                                         {{7, 8}, h_o}});
    EXPECT_EQ(terms(topology, Interaction::harmonic_angle).size(), 0u);
    EXPECT_EQ(count_degrees_of_freedom(topology, {}).total, 2.0 * (27 - 8 - 13));
}

TEST(TopologyAngles, NoneWithBondsOnly)
{
    for (const auto kind : {ConstraintKind::none, ConstraintKind::h_bonds, ConstraintKind::all_bonds}) {
        const auto topology = topology_of(ethanol, kind);
        EXPECT_EQ(pairs(topology, true).size(), 0u);
        EXPECT_EQ(terms(topology, Interaction::harmonic_angle).size(), 13u);
    }
}

/// Exclusions and 1-4 pairs come from bonds, rigid or not.
TEST(TopologyAngles, LeaveExclusionsAlone)
{
    EXPECT_EQ(topology_of(ethanol, ConstraintKind::all_angles).molecule_types[0].exclusions,
              topology_of(ethanol).molecule_types[0].exclusions);
}

/// Urey-Bradley terms go with their 1-3 part; cosine angles as well.
TEST(TopologyAngles, OfOtherFunctions)
{
    for (const auto* first : {"2 1 3 5\n", "2 1 3 2\n"}) {
        const auto text = types + atoms + bonds + "[ angles ]\n" + first + angles + end;
        const auto topology = topology_of(text, ConstraintKind::h_angles);
        EXPECT_NEAR(pairs(topology, true).at({2, 3}), hh, 2e-8);
        EXPECT_EQ(terms(topology, Interaction::urey_bradley).size(), 0u);
        EXPECT_EQ(terms(topology, Interaction::g96_angle).size(), 0u);
    }
}

/// A bond that stays one (function 6) leaves the angles next to it to their potential; one among [ constraints ] after
/// the angles counts.
TEST(TopologyAngles, BetweenBondsThatAreRigid)
{
    const std::string some = "[ bonds ]\n1 2 6 0.109 1e5\n1 3 1\n1 4 1\n1 5 1\n5 6 1\n5 7 1\n5 8 1\n";
    const auto text = types + atoms + some + "[ angles ]\n2 1 3 1\n" + angles + "[ constraints ]\n9 8 1 0.1\n" + end;
    const auto topology = topology_of(text, ConstraintKind::h_angles);
    const double wider = std::sqrt(0.1 * 0.1 + 0.141 * 0.141 - 2 * 0.1 * 0.141 * std::cos(108.5 * units::degree));
    expect_pairs(pairs(topology, true), {{{3, 4}, hh}, {{6, 7}, hh}, {{5, 9}, wider}});
    EXPECT_EQ(terms(topology, Interaction::harmonic_angle).size(), 10u);
}

/// Where a bond closes a triangle it holds the angle, whatever that is.
TEST(TopologyAngles, InTriangles)
{
    const auto text = types + atoms + bonds + "[ angles ]\n2 1 3 1\n" + angles + "[ constraints ]\n3 2 2 0.18\n" + end;
    const auto topology = topology_of(text, ConstraintKind::h_angles);
    EXPECT_EQ(pairs(topology, false).at({2, 3}), 0.18);
    EXPECT_EQ(pairs(topology, true).size(), 4u);
    EXPECT_EQ(terms(topology, Interaction::harmonic_angle).size(), 8u);
}

TEST(TopologyAngles, Refused)
{
    const auto of = [](const std::string& more) {
        const auto text = types + atoms + bonds + "[ angles ]\n" + more + angles + end;
        return error_of([&] { topology_of(text, ConstraintKind::h_angles); });
    };
    EXPECT_NE(of("2 1 3 1 0 400\n").find("an angle of 0 degrees can not be made rigid"), std::string::npos);
    EXPECT_NE(of("2 1 3 1 107 400\n3 1 2 1 108 400\n").find("are constrained to"), std::string::npos);
}

} // namespace
} // namespace holon::test
