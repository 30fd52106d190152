// Virtual sites of a topology: as grompp reads them (GROMACS 2022.5 has been asked for the numbers).
#include "topology_case.hpp"

#include <fmt/format.h>

namespace holon::test {
namespace {

/// Three atoms of 12 u in a corner, sites of no mass, and what follows; sites are the atoms 4, 5, ...
std::string corner(int sites, const std::string& molecule, const std::string& angle_end = "V")
{
    std::string atoms;
    for (int s = 0; s < sites; ++s) atoms += fmt::format("{} {} 1 R S{} 1 0.1 0\n", s + 4, angle_end, s + 1);
    return "[ defaults ]\n1 2 yes 0.5 0.8\n[ atomtypes ]\n"
           "A 6 12.0 0.0 A 0.3 0.5\nV 0 0.0 0.0 V 0.0 0.0\nD 0 0.0 0.0 D 0.0 0.0\n"
           "MCH3 0 0.0 0.0 A 0.0 0.0\n"
           "[ moleculetype ]\nmol 2\n[ atoms ]\n"
           "1 A 1 R C1 1 0.0 12\n2 A 1 R C2 1 0.0 12\n3 A 1 R C3 1 0.0 6\n" +
           atoms + "[ bonds ]\n1 2 1 0.15 1000\n1 3 1 0.15 1000\n[ angles ]\n2 1 3 1 109 100\n" + molecule +
           "\n[ system ]\nx\n[ molecules ]\nmol 2\n";
}

const std::vector<VirtualSite>& sites_of(const Topology& topology)
{
    return topology.molecule_types.at(0).virtual_sites;
}

void expect_parameters(const VirtualSite& site, SiteKind kind, const std::vector<double>& expected)
{
    EXPECT_EQ(site.kind, kind);
    ASSERT_EQ(site.parameters.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(site.parameters[k], expected[k], 5e-9);
}

using Indices = std::vector<std::int32_t>;

TEST(TopologySites, KindsAndParameters)
{
    const auto topology =
        topology_of(corner(11, "[ virtual_sites1 ]\n4 2 1\n[ virtual_sites2 ]\n5 1 2 1 0.4\n6 1 2 2 0.05\n"
                               "[ virtual_sites3 ]\n7 1 2 3 1 0.3 0.2\n8 1 2 3 2 0.5 -0.1\n9 1 2 3 3 60 0.05\n"
                               "10 1 2 3 4 0.3 0.2 2.0\n[ virtual_sites4 ]\n11 1 2 3 4 2 0.9 1.1 0.1\n"
                               "[ virtual_sitesn ]\n12 1 1 2 3\n13 2 2 1 3\n14 3 1 0.5 2 0.7 3 0.1\n"));
    const auto& sites = sites_of(topology);
    ASSERT_EQ(sites.size(), 11u);
    EXPECT_EQ(topology.n_virtual_sites(), 22);
    const auto site = [&sites](std::int32_t number) {
        return *std::ranges::find(sites, number - 1, &VirtualSite::atom);
    };
    EXPECT_EQ(site(4).parents, (Indices{1}));
    EXPECT_EQ(site(7).parents, (Indices{0, 1, 2}));
    expect_parameters(site(4), SiteKind::linear, {});
    expect_parameters(site(5), SiteKind::linear, {0.4});
    expect_parameters(site(6), SiteKind::line_distance, {0.05});
    expect_parameters(site(7), SiteKind::linear, {0.3, 0.2});
    expect_parameters(site(8), SiteKind::plane_distance, {0.5, -0.1});
    expect_parameters(site(9), SiteKind::plane_angle, {0.025, 0.0433012702});
    expect_parameters(site(10), SiteKind::out_of_plane, {0.3, 0.2, 2.0});
    expect_parameters(site(11), SiteKind::four_atoms, {0.9, 1.1, 0.1});
    expect_parameters(site(12), SiteKind::linear, {1.0 / 3.0, 1.0 / 3.0});
    EXPECT_EQ(site(13).parents, (Indices{1, 0, 2}));
    expect_parameters(site(13), SiteKind::linear, {0.4, 0.2}); // masses of 12, 12 and 6
    expect_parameters(site(14), SiteKind::linear, {0.7 / 1.3, 0.1 / 1.3});
}

TEST(TopologySites, OldNamesAndParticleTypes)
{
    for (const std::string type : {"V", "D", "A"}) {
        const auto topology = topology_of(corner(4,
                                                 "[ dummies2 ]\n4 1 2 1 0.4\n[ dummies3 ]\n5 1 2 3 1 0.3 0.2\n"
                                                 "[ dummies4 ]\n6 1 2 3 5 2 0.9 1.1 0.1\n[ dummiesn ]\n7 1 1 2\n",
                                                 type));
        EXPECT_EQ(sites_of(topology).size(), 4u);
        EXPECT_EQ(topology.molecule_types[0].atoms[3].mass, 0.0);
    }
}

TEST(TopologySites, ParametersFromBondsAndAngles)
{
    const std::string geometry = "[ bonds ]\n1 4 1 0.1 1000\n[ angles ]\n4 1 2 1 110 100\n4 1 3 1 110 100\n";
    const auto one = [&](const std::string& function) {
        return sites_of(topology_of(corner(1, "[ virtual_sites3 ]\n4 1 2 3 " + function + "\n" + geometry)))[0];
    };
    expect_parameters(one("2"), SiteKind::plane_distance, {0.5, -0.1});
    expect_parameters(one("3"), SiteKind::plane_angle, {-3.42020143e-02, 9.39692621e-02});
    expect_parameters(one("-3"), SiteKind::plane_angle, {-3.42020143e-02, -9.39692621e-02});
    expect_parameters(one("4"), SiteKind::out_of_plane, {-3.38082240e-01, -3.38082240e-01, -3.79874070e+00});
    expect_parameters(one("-4"), SiteKind::out_of_plane, {-3.38082240e-01, -3.38082240e-01, 3.79874070e+00});
    expect_parameters(one("-4 0.3 0.2 2.0"), SiteKind::out_of_plane, {0.3, 0.2, 2.0}); // the sign is that of c
}

TEST(TopologySites, ParentsComeFirst)
{
    const auto topology = topology_of(corner(3, "[ virtual_sites2 ]\n4 5 6 1 0.5\n5 6 1 1 0.5\n6 1 2 1 0.5\n"));
    const auto& sites = sites_of(topology);
    ASSERT_EQ(sites.size(), 3u);
    EXPECT_EQ(sites[0].atom, 5);
    EXPECT_EQ(sites[1].atom, 4);
    EXPECT_EQ(sites[2].atom, 3);
}

std::size_t count(const Topology& topology, Interaction kind)
{
    return terms(topology, kind).size();
}

/// Terms that sites have made constant are left out, but the exclusions of their bonds stay.
TEST(TopologySites, ConstantTermsAreLeftOut)
{
    const std::string terms_of_site = "[ bonds ]\n1 4 1 0.1 1000\n[ angles ]\n4 1 2 1 110 100\n4 1 3 1 110 100\n"
                                      "[ dihedrals ]\n4 1 2 3 1 0 5 2\n4 1 2 3 3 1 1 1 0 0 0\n";
    const auto of = [&](const std::string& site, const std::string& more = "") {
        return topology_of(corner(1, "[ virtual_sites3 ]\n4 1 2 3 " + site + "\n" + terms_of_site + more));
    };
    // The bond is kept by the construction; the angle 4-1-2 by that of function 3; the dihedral always.
    EXPECT_EQ(count(of("2 0.5 -0.1"), Interaction::harmonic_bond), 2u);
    EXPECT_EQ(count(of("2 0.5 -0.1"), Interaction::harmonic_angle), 3u);
    EXPECT_EQ(count(of("3 110 0.1"), Interaction::harmonic_bond), 2u);
    EXPECT_EQ(count(of("3 110 0.1"), Interaction::harmonic_angle), 2u);
    EXPECT_EQ(count(of("4 0.1 0.1 1.0"), Interaction::harmonic_bond), 3u);
    EXPECT_EQ(count(of("4 0.1 0.1 1.0"), Interaction::proper_dihedral), 0u);
    EXPECT_EQ(count(of("4 0.1 0.1 1.0"), Interaction::ryckaert_bellemans), 1u);
    // With its parents rigid, all are.
    const std::string rigid = "[ constraints ]\n1 2 2 0.15\n2 3 2 0.2\n1 3 2 0.15\n";
    EXPECT_EQ(count(of("4 0.1 0.1 1.0", rigid), Interaction::harmonic_bond), 2u);
    EXPECT_EQ(count(of("4 0.1 0.1 1.0", rigid), Interaction::harmonic_angle), 1u);
    EXPECT_EQ(of("2 0.5 -0.1").molecule_types[0].exclusions[3], (Indices{0, 1, 2}));
}

TEST(TopologySites, ConstraintsOfSitesGoOrAreRefused)
{
    const auto with = [](const std::string& site, const std::string& constraint) {
        return corner(1, "[ virtual_sites3 ]\n4 1 2 3 " + site + "\n[ constraints ]\n" + constraint + "\n");
    };
    EXPECT_EQ(topology_of(with("2 0.5 -0.1", "1 4 1 0.1")).n_constraints(), 0);
    EXPECT_EQ(topology_of(with("4 0.1 0.1 1.0", "1 4 1 0.1")).n_constraints(), 0);
    const auto message = error_of([&] { topology_of(with("2 0.5 -0.1", "3 4 2 0.1")); });
    EXPECT_NE(message.find("[ constraints ]: a virtual site can not be held by a constraint"), std::string::npos)
        << message;
    // h-bonds: the name decides, and the bond that turned rigid goes.
    auto text = corner(1, "[ virtual_sites3 ]\n4 1 2 3 2 0.5 -0.1\n[ bonds ]\n1 4 1 0.1 1000\n");
    text.replace(text.find(" S1 "), 4, " H1 ");
    EXPECT_EQ(topology_of(text, ConstraintKind::h_bonds).n_constraints(), 0);
}

TEST(TopologySites, Errors)
{
    const auto expect = [](const std::string& text, const std::string& message) {
        const auto found = error_of([&] { topology_of(text); });
        EXPECT_NE(found.find(message), std::string::npos) << found;
    };
    expect(corner(1, ""), "[ atoms ]: atom S1 of residue R has mass 0; it must be above zero, unless");
    expect(corner(1, "[ virtual_sites2 ]\n4 1 2 1 0.3\n[ virtual_sites1 ]\n4 1 1\n"),
           "[ virtual_sites1 ]: atom 4 is a virtual site already, by ");
    expect(corner(2, "[ virtual_sites2 ]\n4 5 1 1 0.3\n5 4 1 1 0.3\n"),
           "[ virtual_sites2 ]: the place of this site follows, by way of other sites, from itself");
    expect(corner(1, "[ virtual_sites3 ]\n4 1 2 3 4\n"), "[ virtual_sites3 ]: no parameters are given, and the bonds");
    expect(corner(1, "[ virtual_sites2 ]\n4 1 2 1\n"), "[ virtual_sites2 ]: no parameters are given, and the bonds");
    expect(corner(2, "[ virtual_sites1 ]\n4 1 1\n[ virtual_sitesn ]\n5 2 4\n"), "no mass, and so no centre of mass");
    expect(corner(2, "[ virtual_sites1 ]\n4 1 1\n5 1 1\n[ settles ]\n3 1 0.1 0.16\n"),
           "[ settles ]: a virtual site can not be held by a constraint");
    expect(corner(1, "[ virtual_sites4 ]\n4 1 2 3 3 1 1 1 0.1\n"), "stands here twice");
}

} // namespace
} // namespace holon::test
