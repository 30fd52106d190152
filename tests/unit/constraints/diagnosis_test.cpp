// Which sets of constraints can be solved for, which constraints may be left out, and what is said of the others.
#include <support/constraints/constraint_molecules.hpp>
#include <support/constraints/polymers.hpp>
#include <support/dense.hpp>

#include <holon/constraints/constraints.hpp>
#include <holon/constraints/diagnosis.hpp>
#include <holon/core/error.hpp>
#include <holon/dynamics/kinetic.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

std::vector<ImpliedConstraint> implied(const ConstraintSystem& system)
{
    const auto& molecule = system.topology.molecule_types[0];
    return implied_constraints(molecule, std::span(system.x_ref).first(molecule.atoms.size()), system.box);
}

/// Of the positions as they are.
Eigen::Index dense_rank(const ConstraintSystem& system, const std::vector<Constraint>& constraints)
{
    const auto n = static_cast<Eigen::Index>(constraints.size());
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(n, 3 * static_cast<Eigen::Index>(system.x_ref.size()));
    for (Eigen::Index k = 0; k < n; ++k) {
        const auto& c = constraints[static_cast<std::size_t>(k)];
        const Vec3 r = system.bond(system.x_ref, static_cast<std::size_t>(c.i), static_cast<std::size_t>(c.j));
        rows.block<1, 3>(k, 3 * c.i) = -r.normalized().transpose();
        rows.block<1, 3>(k, 3 * c.j) = r.normalized().transpose();
    }
    return rank_of(rows.transpose(), 1e-9);
}

void move_all(ConstraintSystem& system, double largest, unsigned seed)
{
    Noise noise(seed);
    for (auto& x : system.x_ref) x += to_lattice(largest * noise.vector(), position_unit);
}

/// Distances between all that are bound to the same atom, as from angles.
Polymer with_all_angles(Polymer polymer)
{
    const auto bonds = polymer.type.constraints;
    for (std::size_t a = 0; a < bonds.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            for (const auto& [middle, one] : {std::pair(bonds[a].i, bonds[a].j), std::pair(bonds[a].j, bonds[a].i)})
                for (const auto& [same, other] : {std::pair(bonds[b].i, bonds[b].j), std::pair(bonds[b].j, bonds[b].i)})
                    if (middle == same) {
                        polymer.bind(one, other);
                        polymer.type.constraints.back().from_angle = true;
                    }
    return polymer;
}

Polymer plane(const std::vector<Vec3>& points)
{
    Polymer polymer;
    polymer.type.name = "Flat";
    for (const auto& r : points)
        polymer.add_atom("C" + std::to_string(polymer.positions.size() + 1), 12.0, Vec3(2.0, 2.0, 2.0) + r);
    return polymer;
}

std::string refusal_of(const ConstraintSystem& system)
{
    try {
        implied(system);
    } catch (const InputError& error) {
        return error.what();
    }
    ADD_FAILURE() << "not refused";
    return "";
}

TEST(ImpliedConstraints, OneOfTenDistancesOfATetrahedron)
{
    auto system = polymer_system(rigid_methane());
    EXPECT_EQ(dense_rank(system, system.topology.molecule_types[0].constraints), 9);
    const auto found = implied(system);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].length, found[0].constraint.length, 1e-12);

    auto& molecule = system.topology.molecule_types[0];
    leave_out(molecule, found);
    EXPECT_EQ(molecule.constraints.size(), 9u);
    EXPECT_EQ(molecule.implied.size(), 1u);
    EXPECT_EQ(dense_rank(system, molecule.constraints), 9);
    EXPECT_EQ(implied(system).size(), 0u);
    EXPECT_THROW(leave_out(molecule, found), InputError);
    EXPECT_EQ(count_degrees_of_freedom(system.topology, {}).total, 6.0); // those of a rigid body
}

/// Angles of force fields do not add up exactly; with 109.5 degrees between all bonds, hydrogens are 1.5e-4 too far
/// apart. Whatever constraint is left out, those that stay are met, and the input is anywhere near them.
TEST(ImpliedConstraints, AnglesThatDoNotAddUp)
{
    auto polymer = rigid_methane();
    for (auto& c : polymer.type.constraints)
        if (c.i > 0) {
            c.from_angle = true;
            c.length = 2.0 * 0.109 * std::sin(0.5 * 109.5 * M_PI / 180.0);
        }
    auto system = polymer_system(polymer);
    move_all(system, 0.01, 5);
    const auto found = implied(system);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].constraint.from_angle);
    EXPECT_GT(std::abs(found[0].length - found[0].constraint.length), 1e-5);
    EXPECT_LT(std::abs(found[0].length - found[0].constraint.length), 1e-3);
}

/// One for each carbon with four neighbours, as dense algebra has it; in long chains, too, which are not examined as a
/// whole.
TEST(ImpliedConstraints, OneForEachTetrahedralCentre)
{
    for (const int n : {2, 6, 60}) {
        auto system = polymer_system(with_all_angles(full_alkane(n, 7)));
        auto& molecule = system.topology.molecule_types[0];
        const auto found = implied(system);
        EXPECT_EQ(found.size(), static_cast<std::size_t>(n));
        for (const auto& one : found) {
            EXPECT_TRUE(one.constraint.from_angle);
            EXPECT_NEAR(one.length, one.constraint.length, 1e-8);
        }
        const auto rank = dense_rank(system, molecule.constraints);
        leave_out(molecule, found);
        EXPECT_EQ(rank, std::ssize(molecule.constraints));
        EXPECT_EQ(dense_rank(system, molecule.constraints), rank);
    }
}

TEST(ImpliedConstraints, NoneWhereNoneDepends)
{
    for (const auto& system : {torsion_only_c60(), disulphide_macrocycle(), lattice(), fused_rings(), ring_of_twelve(),
                               ring_through_the_box(), all_atom_c60(), alkane_with_h_angles(), nearly_straight_rods(),
                               freely_jointed(400), cyclohexane_with_h_angles(), methanol_with_h_angles()}) {
        const auto& constraints = system.topology.molecule_types[0].constraints;
        EXPECT_EQ(dense_rank(system, constraints), std::ssize(constraints));
        EXPECT_EQ(implied(system).size(), 0u) << system.topology.molecule_types[0].name;
    }
    for (const auto& polymer :
         {benzene(), triangle(), rigid_methyl(), with_rigid_methyls(full_alkane(6, 1)), chain_of_triangles(20, 3)})
        EXPECT_EQ(implied(polymer_system(polymer)).size(), 0u) << polymer.type.name;
}

TEST(ImpliedConstraints, AcrossThePeriodicBoundary)
{
    auto system = polymer_system(with_all_angles(full_alkane(6, 7)));
    for (auto& x : system.x_ref) {
        x += to_lattice({20.1, -20.05, 19.9}, position_unit);
        system.box.wrap(x);
    }
    EXPECT_EQ(implied(system).size(), 6u);
}

/// Wherever they start, atoms that have to be in a plane or a line end there, where their constraints are singular.
TEST(ImpliedConstraints, RefusesPlanesAndLines)
{
    const double c = 0.5, s = std::sqrt(0.75);
    auto ring = with_all_angles(benzene());
    auto line = plane({{-0.116, 0, 0}, {0, 0, 0}, {0.116, 0, 0}});
    line.bind(0, 1);
    line.bind(1, 2);
    line.bind(0, 2);
    auto star = plane({{0, 0, 0}, {0.14, 0, 0}, {-0.14 * c, 0.14 * s, 0}, {-0.14 * c, -0.14 * s, 0}});
    for (std::int32_t k = 1; k < 4; ++k) star.bind(0, k);
    star = with_all_angles(star);
    auto too_wide = star;
    for (auto& bond : too_wide.type.constraints)
        if (bond.from_angle) bond.length *= 1.003;
    auto bridged = star; // and what is bound to it does not matter
    const auto tail = bridged.add_atom("C5", 12.0, Vec3(2.2, 2.1, 2.1));
    bridged.bind(1, tail);

    const std::pair<Polymer*, const char*> cases[] = {
        {&ring, "atoms 1 C1, 2 C2, 3 C3, 4 C4, 5 C5, 6 C6 can not be solved for"},
        {&line, "atoms 1 C1, 2 C2, 3 C3 can not be solved for: that of atoms 1 C1, 3 C3 depends on the rest"},
        {&star, "atoms 1 C1, 2 C2, 3 C3, 4 C4 can not"},
        {&too_wide, "atoms 1 C1, 2 C2, 3 C3, 4 C4 can not"},
        {&bridged, "atoms 1 C1, 2 C2, 3 C3, 4 C4 can not"}};
    for (const auto& [polymer, text] : cases)
        for (const double largest : {0.0, 0.004, 0.02}) {
            auto system = polymer_system(*polymer);
            move_all(system, largest, 4);
            const auto message = refusal_of(system);
            EXPECT_NE(message.find(text), std::string::npos) << largest << ": " << message;
            EXPECT_EQ(message.find("Molecule type " + polymer->type.name), 0u) << message;
            const auto* way_out =
                polymer == &line ? "Take some of them out of [ constraints ]" : "constraints = all-bonds";
            EXPECT_NE(message.find(way_out), std::string::npos) << message;
        }
    // A pyramid of the same bonds is all right.
    auto pyramid = star;
    for (auto& bond : pyramid.type.constraints)
        if (bond.from_angle) bond.length *= 0.98;
    EXPECT_EQ(implied(polymer_system(pyramid)).size(), 0u);
}

TEST(ImpliedConstraints, RefusesContradictions)
{
    auto polymer = rigid_methane();
    polymer.type.constraints.back().length *= 1.05;
    auto message = refusal_of(polymer_system(polymer));
    EXPECT_NE(message.find("atoms 1 C, 2 H1, 3 H2, 4 H3, 5 H4 contradict each other: the rest puts atoms"),
              std::string::npos)
        << message;
    Polymer line = plane({{0, 0, 0}, {0.14, 0, 0}, {0.07, 0.005, 0}});
    line.bind(0, 1);
    line.bind(1, 2);
    line.bind(0, 2);
    line.type.constraints[0].length = 0.16; // no triangle has such sides
    message = refusal_of(polymer_system(line));
    EXPECT_NE(message.find("can not be solved for"), std::string::npos) << message;
}

/// From anywhere, if that leads to the constraints; else it can not be told whether they or the positions are wrong.
TEST(ImpliedConstraints, LeavesPositionsThatSayNothingToTheSolver)
{
    auto polymer = rigid_methane();
    for (const auto& [factor, expected] : {std::pair(1.0, 1u), {1.5, 0u}}) {
        polymer.type.constraints.back().length *= factor;
        auto system = polymer_system(polymer);
        system.x_ref.assign(system.x_ref.size(), system.x_ref[0]);
        EXPECT_EQ(implied(system).size(), expected);
    }
}

TEST(ConstraintDiagnosis, CountsPerMoleculeType)
{
    auto system = polymer_system(with_all_angles(full_alkane(6, 7)), 3);
    leave_out(system.topology.molecule_types[0], implied(system));
    const auto all = diagnose(system.topology);
    ASSERT_EQ(all.size(), 1u);
    const auto& d = all[0];
    EXPECT_EQ(d.molecules, 3);
    EXPECT_EQ(d.constraints, 19 + 36);
    EXPECT_EQ(d.rank, 19 + 36 - 6);
    EXPECT_EQ(d.clusters, 1);
    EXPECT_EQ(d.largest_cluster, d.rank);
    EXPECT_GT(d.lincs_radius, 1.5);
    const auto text = diagnosis_text(all, system.topology);
    EXPECT_EQ(text.find("Alkane: 55 constraints of rank 49, clusters: 1 of 49, spectral radius of the LINCS matrix "),
              0u)
        << text;
    EXPECT_NE(text.find("(LINCS would not converge)"), std::string::npos) << text;
    EXPECT_NE(text.find("left out, since the others imply it: atoms "), std::string::npos) << text;
}

} // namespace
} // namespace holon::test
