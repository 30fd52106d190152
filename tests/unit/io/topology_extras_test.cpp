#include "topology_case.hpp"

#include <holon/core/units.hpp>

#include <cmath>

// What a topology takes from files of their own: tables of bonded interactions and dissociation energies.
namespace holon {
namespace {

using test::error_of, test::TopologyFolder, test::parameters, test::terms;

std::string topology(const std::string& lines, const std::string& types = "")
{
    return "[ defaults ]\n1 1\n[ atomtypes ]\nCA 6 12.0 0 A 0 0\nHX 1 1.0 0 A 0 0\nOM 8 16.0 0 A 0 0\nZ 9 19.0 0 A 0 "
           "0\n" +
           types + "[ moleculetype ]\nmol 3\n[ atoms ]\n1 CA 1 R C 1\n2 HX 1 R H 1\n3 OM 1 R O 1\n4 Z 1 R Z 1\n" +
           lines + "\n[ system ]\ns\n[ molecules ]\nmol 1\n";
}

class Extras : public testing::Test {
protected:
    Topology read(const std::string& text, bool morse = false, const std::vector<std::string>& tables = {},
                  ConstraintKind constraints = ConstraintKind::none)
    {
        const auto path = folder_.write("topol.top", text);
        const auto stored = expand_topology(path, {{}, {}, tables, morse}).to_text(); // as in a checkpoint
        Notes notes;
        return read_topology(ExpandedTopology::from_text(stored), {constraints, false, morse}, notes);
    }

    TopologyFolder folder_;
};

TEST_F(Extras, TablesAreReadAndUsedOnce)
{
    folder_.write("table_b7.xvg", "# comment\n@ title\n0 4 0\n0.1 1 20\n0.2 0 0\n");
    folder_.write("table_a0.xvg", "0 0 -1\n90 90 -1\n180 180 -1\n");
    folder_.write("table_d0.xvg", "-180 1 0\n0 3 1\n180 1 0\n");
    const auto t =
        read(topology("[ bonds ]\n1 2 8 7 2.5\n2 3 9 7 1.5\n[ angles ]\n1 2 3 8\n[ dihedrals ]\n1 2 3 4 8 0 2",
                      "[ angletypes ]\nCA HX OM 8 0 3\n"));
    ASSERT_EQ(t.tables.size(), 3U);
    EXPECT_EQ(parameters(t, Interaction::tabulated_bond, 0)[1], 2.5);
    EXPECT_EQ(parameters(t, Interaction::tabulated_bond, 1)[0], parameters(t, Interaction::tabulated_bond, 0)[0]);
    const auto& bond = t.tables[static_cast<std::size_t>(parameters(t, Interaction::tabulated_bond, 0)[0])];
    EXPECT_EQ(bond.energy, (std::vector{4.0, 1.0, 0.0}));
    EXPECT_EQ(bond.slope, (std::vector{0.0, -20.0, 0.0}));
    EXPECT_EQ(parameters(t, Interaction::tabulated_angle, 0)[1], 3.0);
    const auto& angle = t.tables[static_cast<std::size_t>(parameters(t, Interaction::tabulated_angle, 0)[0])];
    EXPECT_DOUBLE_EQ(angle.spacing, 90.0 * units::degree);
    EXPECT_DOUBLE_EQ(angle.slope[1], 1.0 / units::degree);
    const auto& dihedral = t.tables[static_cast<std::size_t>(parameters(t, Interaction::tabulated_dihedral, 0)[0])];
    EXPECT_DOUBLE_EQ(dihedral.first, -180.0 * units::degree);
    const auto& exclusions = t.molecule_types[0].exclusions; // type 8 is a chemical bond, type 9 none
    EXPECT_EQ(exclusions[0], std::vector<std::int32_t>{1});
}

TEST_F(Extras, TablesMayHaveOtherNames)
{
    const auto named = folder_.write("elsewhere/my_b0.xvg", "0 1 0\n1 1 0\n2 1 0\n");
    const auto by_stem = folder_.file("elsewhere/my.xvg");
    for (const auto& name : {named, by_stem})
        EXPECT_EQ(read(topology("[ bonds ]\n1 2 8 0 1"), false, {name}).tables.size(), 1U);
}

TEST_F(Extras, TablesThatAreNone)
{
    const auto message = [&](const std::string& table) {
        folder_.write("table_d0.xvg", table);
        return error_of([&] { read(topology("[ dihedrals ]\n1 2 3 4 8 0 2")); });
    };
    EXPECT_NE(message("-180 0 0\n180 0 0\n").find("three points"), std::string::npos);
    EXPECT_NE(message("-180 0 0\n10 0 0\n180 0 0\n").find("equal distances, but 10 is not 0"), std::string::npos);
    EXPECT_NE(message("0 0 0\n90 0 0\n180 0 0\n").find("must begin at -180, not 0"), std::string::npos);
    EXPECT_NE(message("-180 0 0\n-90 0 0\n0 0 0\n").find("must end at 180 degrees, not 0"), std::string::npos);
    EXPECT_NE(message("-180 0 0\n0 1 0\n180 0 0\n").find("-dV/dx, is zero everywhere"), std::string::npos);
    EXPECT_NE(message("-180 0\n0 0\n180 0\n").find("table_d0.xvg:1: [ tabulated_dihedrals ]: expected three columns"),
              std::string::npos);
    EXPECT_NE(error_of([&] { read(topology("[ bonds ]\n1 2 8 -1 1")); }).find("number of a table, from 0 on"),
              std::string::npos);
}

TEST_F(Extras, HarmonicBondsBecomeMorseBonds)
{
    folder_.write("edissoc.dat", "C O 743\nC OM 551\nC H 412\n");
    const auto t = read(topology("[ bonds ]\n1 2 1 0.11 2e5\n1 3 1 0.12 4e5\n2 4 1 0.2 1e5\n3 4 6 0.2 1e5"), true);
    const auto morse = [&](std::size_t k) { return parameters(t, Interaction::morse_bond, k); };
    ASSERT_EQ(terms(t, Interaction::morse_bond).size(), 3U);
    EXPECT_EQ(terms(t, Interaction::harmonic_bond).size(), 1U); // type 6 is no chemical bond
    EXPECT_EQ(morse(0)[1], 412.0);                              // CA - HX: like C - H
    EXPECT_EQ(morse(1)[1], 551.0);                              // CA - OM: more like C - OM than C - O
    EXPECT_EQ(morse(2)[1], 400.0);                              // HX - Z: like none
    EXPECT_EQ(morse(0)[0], 0.11);
    EXPECT_DOUBLE_EQ(morse(0)[2], std::sqrt(2e5 / (2.0 * 412.0)));
}

TEST_F(Extras, RigidBondsStayRigid)
{
    folder_.write("edissoc.dat", "C H 412\n");
    const auto t = read(topology("[ bonds ]\n1 2 1 0.11 2e5\n1 3 1 0.12 4e5"), true, {}, ConstraintKind::h_bonds);
    EXPECT_EQ(t.molecule_types[0].constraints.size(), 1U);
    EXPECT_EQ(terms(t, Interaction::morse_bond).size(), 1U);
}

TEST_F(Extras, OtherBondsCanNotBeConverted)
{
    folder_.write("edissoc.dat", "C H 412\n");
    EXPECT_NE(error_of([&] { read(topology("[ bonds ]\n1 2 2 0.11 2e5"), true); }).find("this is a G96 bond"),
              std::string::npos);
    folder_.write("edissoc.dat", "C H -412\n");
    EXPECT_NE(error_of([&] { read(topology("[ bonds ]\n1 2 1 0.11 2e5"), true); }).find("must be above zero"),
              std::string::npos);
}

} // namespace
} // namespace holon
