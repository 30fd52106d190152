#include "bonded_fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>

// Energies and forces of simple geometries, where they can be written down.
namespace holon {
namespace {

constexpr double tolerance = 1e-8; // energies and forces are rounded to 2^-36 kJ/mol and 2^-28 kJ/mol/nm

/// Four atoms with the given dihedral [degrees] about the z axis and right angles: i - j - k - l.
std::vector<Vec3> dihedral_geometry(double degrees)
{
    const double phi = degrees * units::degree;
    return {Vec3(0.1, 0, 0), Vec3(0, 0, 0), Vec3(0, 0, 0.15), Vec3(0.1 * std::cos(phi), 0.1 * std::sin(phi), 0.15)};
}

/// Three atoms with the given angle [degrees] in the middle.
std::vector<Vec3> angle_geometry(double degrees)
{
    const double theta = degrees * units::degree;
    return {Vec3(0.1, 0, 0), Vec3(0, 0, 0), Vec3(0.2 * std::cos(theta), 0.2 * std::sin(theta), 0)};
}

const std::vector<Vec3> pair_geometry = {Vec3(0.2, 0, 0), Vec3(0, 0, 0)};

TEST(BondedValues, Bonds)
{
    const auto harmonic = BondedFixture(Interaction::harmonic_bond, {0.15, 1000.0}, pair_geometry).evaluate();
    EXPECT_NEAR(harmonic.energy(EnergyTerm::bond), 1.25, tolerance);
    EXPECT_NEAR(harmonic.force(0)[0], -50.0, tolerance);
    EXPECT_NEAR(harmonic.virial()(0, 0), 5.0, tolerance);

    const auto g96 = BondedFixture(Interaction::g96_bond, {0.1, 1e4}, pair_geometry).evaluate();
    EXPECT_NEAR(g96.energy(EnergyTerm::bond), 0.25 * 1e4 * 0.03 * 0.03, tolerance);
    EXPECT_NEAR(g96.force(0)[0], -1e4 * 0.03 * 0.2, tolerance);

    const auto morse = BondedFixture(Interaction::morse_bond, {0.15, 400.0, 20.0}, pair_geometry).evaluate();
    const double decay = std::exp(-1.0);
    EXPECT_NEAR(morse.energy(EnergyTerm::bond), 400.0 * (1 - decay) * (1 - decay), tolerance);
    EXPECT_NEAR(morse.force(0)[0], -2 * 400.0 * 20.0 * decay * (1 - decay), tolerance);
}

TEST(BondedValues, RareBonds)
{
    const auto cubic = BondedFixture(Interaction::cubic_bond, {0.15, 1000.0, 2.0}, pair_geometry).evaluate();
    EXPECT_NEAR(cubic.energy(EnergyTerm::bond), 1000.0 * 0.0025 * (1.0 + 2.0 * 0.05), tolerance);
    EXPECT_NEAR(cubic.force(0)[0], -1000.0 * 0.05 * (2.0 + 3.0 * 2.0 * 0.05), tolerance);

    const auto fene = BondedFixture(Interaction::fene_bond, {0.25, 1000.0}, pair_geometry).evaluate();
    EXPECT_NEAR(fene.energy(EnergyTerm::bond), -500.0 * 0.0625 * std::log(0.36), tolerance);
    EXPECT_NEAR(fene.force(0)[0], -1000.0 * 0.2 / 0.36, 10 * tolerance);
    const auto torn = BondedFixture(Interaction::fene_bond, {0.2, 1000.0}, pair_geometry).evaluate();
    EXPECT_EQ(torn.force(0)[0], -force_bound * force_unit);
    EXPECT_NE(torn.message.find("beyond"), std::string::npos);

    const auto restraint = [](double low, double up1, double up2) {
        return BondedFixture(Interaction::restraint_bond, {low, up1, up2, 1000.0}, pair_geometry).evaluate();
    };
    EXPECT_NEAR(restraint(0.25, 0.3, 0.4).energy(EnergyTerm::restraint_bond), 1.25, tolerance);
    EXPECT_NEAR(restraint(0.25, 0.3, 0.4).force(0)[0], 50.0, tolerance);
    EXPECT_EQ(restraint(0.1, 0.25, 0.4).energy(), 0.0);
    EXPECT_NEAR(restraint(0.1, 0.15, 0.4).energy(), 1.25, tolerance);
    EXPECT_NEAR(restraint(0.1, 0.15, 0.16).energy(), 500.0 * 0.01 * (0.4 - 0.16 - 0.15), tolerance);
    EXPECT_NEAR(restraint(0.1, 0.15, 0.16).force(0)[0], -10.0, tolerance);
}

TEST(BondedValues, LargeEnergiesAreExactAndClampedForcesSaid)
{
    const auto strong = BondedFixture(Interaction::harmonic_bond, {0.15, 1e8}, pair_geometry).evaluate();
    EXPECT_NEAR(strong.force(0)[0], -5e6, 1e-3);
    EXPECT_EQ(strong.message, "");

    const auto stronger = BondedFixture(Interaction::harmonic_bond, {0.15, 1.44e11}, pair_geometry).evaluate();
    EXPECT_NEAR(stronger.energy(EnergyTerm::bond), 1.8e8, 1e-3);
    EXPECT_NEAR(stronger.virial()(0, 0), 7.2e8, 1e-2);
    EXPECT_EQ(stronger.force(0)[0], -force_bound * force_unit);
    EXPECT_NE(stronger.message.find("beyond 3.4e+07 kJ/mol/nm"), std::string::npos) << stronger.message;
}

TEST(BondedValues, Angles)
{
    const double theta0 = 90.0 * units::degree, bend = 30.0 * units::degree;
    const auto harmonic = BondedFixture(Interaction::harmonic_angle, {theta0, 500.0}, angle_geometry(120.0)).evaluate();
    EXPECT_NEAR(harmonic.energy(EnergyTerm::angle), 250.0 * bend * bend, tolerance);
    EXPECT_NEAR(harmonic.force(0)[1], 500.0 * bend / 0.1, 10 * tolerance); // the angle wants to close
    EXPECT_NEAR(harmonic.force(2).norm(), 500.0 * bend / 0.2, 10 * tolerance);

    const auto g96 = BondedFixture(Interaction::g96_angle, {theta0, 500.0}, angle_geometry(120.0)).evaluate();
    EXPECT_NEAR(g96.energy(EnergyTerm::angle), 250.0 * 0.25, tolerance);

    const auto urey =
        BondedFixture(Interaction::urey_bradley, {theta0, 500.0, 0.2, 2e4}, angle_geometry(120.0)).evaluate();
    const double stretch = std::sqrt(0.01 + 0.04 + 0.02) - 0.2;
    EXPECT_NEAR(urey.energy(EnergyTerm::urey_bradley), 250.0 * bend * bend + 1e4 * stretch * stretch, tolerance);
    EXPECT_EQ(urey.energy(EnergyTerm::angle), 0.0);
    EXPECT_EQ(urey.energy(EnergyTerm::bond), 0.0);
}

TEST(BondedValues, RareAngles)
{
    const auto geometry = angle_geometry(120.0); // sides of 0.1 and 0.2 nm
    const double bend = 30.0 * units::degree, ends = std::sqrt(0.07);
    const auto energy = [&](Interaction kind, const InteractionParameters& p) {
        return BondedFixture(kind, p, geometry).evaluate().energy(EnergyTerm::angle);
    };
    EXPECT_NEAR(energy(Interaction::cross_bond_bond, {0.09, 0.22, 1e4}), 1e4 * 0.01 * -0.02, tolerance);
    EXPECT_NEAR(energy(Interaction::cross_bond_angle, {0.09, 0.22, 0.2, 1e4}), 1e4 * (ends - 0.2) * -0.01, tolerance);
    EXPECT_NEAR(energy(Interaction::quartic_angle, {90.0 * units::degree, 1.0, 2.0, 3.0, 4.0, 5.0}),
                1.0 + bend * (2.0 + bend * (3.0 + bend * (4.0 + bend * 5.0))), tolerance);
    EXPECT_NEAR(energy(Interaction::restricted_angle, {90.0 * units::degree, 50.0}), 25.0 * 0.25 / 0.75, tolerance);
    // r_j - 1/4 r_i - 3/4 r_k
    const Vec3 off = -(0.25 * geometry[0] + 0.75 * geometry[2]);
    EXPECT_NEAR(energy(Interaction::linear_angle, {0.25, 1e4}), 5e3 * off.squaredNorm(), tolerance);
}

/// Near 180 degrees an arc cosine would be wrong by 1e-8 rad.
TEST(BondedValues, AnglesAreExactNearAStraightLine)
{
    const double off = 1e-6, k = 1e12;
    const std::vector<Vec3> bent = {Vec3(0.1, 0, 0), Vec3(0, 0, 0), Vec3(-0.1, 0.1 * std::tan(off), 0)};
    const auto result = BondedFixture(Interaction::harmonic_angle, {units::pi, k}, bent).evaluate();
    EXPECT_NEAR(result.energy(), 0.5 * k * off * off, 1e-6);
    EXPECT_NEAR(std::abs(result.force(0)[1]), k * off / 0.1, 1.0); // of 1e7: what the lattice leaves
}

TEST(BondedValues, DihedralsHaveIupacSigns)
{
    // V = k (1 + cos(phi - phi0)) with phi0 = 90 degrees tells the sign of phi.
    for (const double degrees : {-150.0, -60.0, 0.0, 45.0, 90.0, 180.0}) {
        for (const auto& [kind, term] : {std::pair(Interaction::proper_dihedral, EnergyTerm::proper_dihedral),
                                         std::pair(Interaction::periodic_improper, EnergyTerm::improper_dihedral)}) {
            const auto result =
                BondedFixture(kind, {90.0 * units::degree, 8.0, 1.0}, dihedral_geometry(degrees)).evaluate();
            // Seen from j to k, along +z, counterclockwise about z looks clockwise.
            EXPECT_NEAR(result.energy(term), 8.0 * (1.0 + std::sin(degrees * units::degree)), tolerance) << degrees;
        }
        // Trans (180 degrees) is psi = 0 in the convention of Ryckaert and Bellemans.
        const InteractionParameters c = {1.0, 2.0, -3.0, 4.0, -5.0, 6.0};
        const auto rb = BondedFixture(Interaction::ryckaert_bellemans, c, dihedral_geometry(degrees)).evaluate();
        double expected = 0.0;
        for (int n = 0; n < 6; ++n)
            expected += c[static_cast<std::size_t>(n)] * std::pow(std::cos((degrees - 180.0) * units::degree), n);
        EXPECT_NEAR(rb.energy(EnergyTerm::ryckaert_bellemans), expected, tolerance) << degrees;
    }
}

TEST(BondedValues, HarmonicImproperGoesTheShortWayRound)
{
    const auto result =
        BondedFixture(Interaction::harmonic_improper, {170.0 * units::degree, 100.0}, dihedral_geometry(-170.0))
            .evaluate();
    const double bend = 20.0 * units::degree;
    EXPECT_NEAR(result.energy(EnergyTerm::improper_dihedral), 50.0 * bend * bend, tolerance);
    EXPECT_NEAR(result.force(3).norm(), 100.0 * bend / 0.1, 10 * tolerance);
}

TEST(BondedValues, RareDihedralsAndTheirRestraints)
{
    const auto geometry = dihedral_geometry(60.0); // right angles beside it
    const auto restricted =
        BondedFixture(Interaction::restricted_dihedral, {90.0 * units::degree, 50.0}, geometry).evaluate();
    EXPECT_NEAR(restricted.energy(EnergyTerm::proper_dihedral), 25.0 * 0.25 / 0.75, tolerance);
    const auto torsion = BondedFixture(Interaction::bending_torsion, {1.0, 2.0, 3.0, 4.0, 16.0}, geometry).evaluate();
    EXPECT_NEAR(torsion.energy(EnergyTerm::proper_dihedral), 1.0 + 1.0 + 0.75 + 0.5 + 1.0, tolerance);

    const auto restrained = [&](double phi0, double width) {
        return BondedFixture(Interaction::dihedral_restraint, {phi0 * units::degree, width * units::degree, 200.0},
                             geometry)
            .evaluate()
            .energy(EnergyTerm::dihedral_restraint);
    };
    EXPECT_NEAR(restrained(20.0, 10.0), 100.0 * std::pow(30.0 * units::degree, 2), tolerance);
    EXPECT_NEAR(restrained(-100.0, 10.0), 100.0 * std::pow(150.0 * units::degree, 2), tolerance);
    EXPECT_EQ(restrained(80.0, 30.0), 0.0);
}

TEST(BondedValues, AngleRestraintsAreThoseOfVectors)
{
    const std::vector<Vec3> atoms = {Vec3(0, 0, 0), Vec3(0.1, 0, 0.1), Vec3(1, 1, 0), Vec3(1, 1, 0.3)};
    const double expected = 50.0 * (1.0 - std::cos(2.0 * (45.0 - 10.0) * units::degree));
    for (const auto kind : {Interaction::angle_restraint, Interaction::angle_restraint_z}) {
        const auto result = BondedFixture(kind, {10.0 * units::degree, 50.0, 2.0}, atoms).evaluate();
        EXPECT_NEAR(result.energy(EnergyTerm::angle_restraint), expected, tolerance);
    }
}

TEST(BondedValues, FlatBottomedRestraintsCountTheirAxes)
{
    const Vec3 off(0.3, 0.4, 1.2), reference(0.1, 0.2, -0.1); // that of the fixture
    const auto energy = [&](double shape, double r) {
        return BondedFixture(Interaction::flat_bottom_restraint, {shape, r, 200.0}, {reference + off})
            .evaluate()
            .energy(EnergyTerm::position_restraint);
    };
    const double zx = std::hypot(0.3, 1.2), yz = std::hypot(0.4, 1.2);
    const double distances[] = {1.3, 0.5, 0.3, 0.4, 1.2, yz, zx, 0.5};
    for (int shape = 1; shape <= 8; ++shape) {
        const double d = distances[shape - 1];
        EXPECT_NEAR(energy(shape, d - 0.1), 1.0, tolerance) << shape;
        EXPECT_EQ(energy(shape, d + 0.1), 0.0) << shape;
        EXPECT_NEAR(energy(shape, -d - 0.1), 1.0, tolerance) << shape; // to be outside
        EXPECT_EQ(energy(shape, -d + 0.1), 0.0) << shape;
    }
}

TEST(BondedValues, Pairs)
{
    const double c6 = 1e-3, c12 = 1e-6, lj = c12 / std::pow(0.2, 12) - c6 / std::pow(0.2, 6);
    const double lj_force = (12 * c12 / std::pow(0.2, 12) - 6 * c6 / std::pow(0.2, 6)) / 0.2;
    const auto pair = BondedFixture(Interaction::pair_14, {c6, c12}, pair_geometry).evaluate();
    const double coulomb = units::electric_factor * 0.8 * 0.5 * -0.3 / 0.2; // charges and fudge of the fixture
    EXPECT_NEAR(pair.energy(EnergyTerm::lj_14), lj, tolerance);
    EXPECT_NEAR(pair.energy(EnergyTerm::coulomb_14), coulomb, tolerance);
    EXPECT_NEAR(pair.force(0)[0], lj_force + coulomb / 0.2, 10 * tolerance);

    const auto given = BondedFixture(Interaction::pair_14_explicit, {c6, c12, 0.11}, pair_geometry).evaluate();
    EXPECT_NEAR(given.energy(EnergyTerm::coulomb_14), units::electric_factor * 0.11 / 0.2, tolerance);
    EXPECT_NEAR(given.energy(EnergyTerm::lj_14), lj, tolerance);
}

TEST(BondedValues, ExcludedPairsFeelTheReactionField)
{
    BondedFixture system(Interaction::excluded_pair, {}, pair_geometry);
    const double strength = units::electric_factor * 0.5 * -0.3;
    const auto inside = system.evaluate();
    EXPECT_NEAR(inside.energy(EnergyTerm::coulomb_short), strength * (0.5 * 0.04 - 1.5), tolerance);
    EXPECT_NEAR(inside.force(0)[0], -strength * 2.0 * 0.5 * 0.2, tolerance);

    system.x[0] = to_lattice(Vec3(1.0, 0, 0), position_unit); // at the cutoff: outside
    const auto outside = system.evaluate();
    EXPECT_EQ(outside.energy(), 0.0);
    EXPECT_EQ(outside.f[0], IVec3(0, 0, 0));
}

TEST(BondedValues, PositionRestraintsKnowTheirAtom)
{
    BondedFixture system(Interaction::position_restraint, {100.0, 200.0, 300.0}, {Vec3(0.2, 0.2, -0.2)});
    system.topology.restraint_references = {{3, Vec3(1, 1, 1)}, {10, Vec3(0.1, 0.1, -0.1)}, {11, Vec3(0, 0, 0)}};
    const auto result = system.evaluate();
    EXPECT_NEAR(result.energy(EnergyTerm::position_restraint), 0.5 * 600.0 * 0.01, tolerance);
    EXPECT_LT((result.force(0) - Vec3(-10.0, -20.0, 30.0)).norm(), tolerance);
}

} // namespace
} // namespace holon
