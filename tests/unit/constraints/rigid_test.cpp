// Rigid bodies: their shapes, equality with all distances as constraints, free rotation.
#include <holon/constraints/rigid_shape.hpp>

#include <support/constraints/constraint_molecules.hpp>
#include <support/constraints/free_body.hpp>
#include <support/constraints/solver_stages.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

/// Lengths as a file has them.
std::vector<Constraint> rounded(std::vector<Constraint> constraints)
{
    for (auto& c : constraints) c.length = std::round(c.length * 1e5) * 1e-5;
    return constraints;
}

ConstraintCluster cluster_of(std::size_t n, const std::vector<Constraint>& constraints)
{
    return find_clusters(molecule("M", std::vector<double>(n, 12.0), constraints)).clusters.front();
}

/// Whether some numbers are zero in all of a shape.
bool without(const std::vector<Vec3>& shape, std::initializer_list<int> components)
{
    return std::ranges::all_of(
        shape, [&](const Vec3& r) { return std::ranges::all_of(components, [&](int k) { return r[k] == 0.0; }); });
}

double worst(const std::vector<Vec3>& shape, const std::vector<Vec3>& wanted)
{
    double largest = 0.0;
    for (const auto& [i, j] : all_pairs(shape.size())) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        largest = std::max(largest, std::abs((shape[a] - shape[b]).norm() - (wanted[a] - wanted[b]).norm()));
    }
    return largest;
}

TEST(RigidShape, ComesFromAllDistances)
{
    for (const auto& [atoms, flat] :
         {std::pair(carbon_dioxide(), 2), {flat_benzene(), 1}, {tetrahedron(0.15), 0}, {helix(40), 0}}) {
        const auto all = bonds_between(atoms, all_pairs(atoms.size()));
        const auto exact = shape_of_distances(cluster_of(atoms.size(), all));
        ASSERT_TRUE(exact);
        EXPECT_LT(worst(*exact, atoms), 1e-12);
        const auto shape = shape_of_distances(cluster_of(atoms.size(), rounded(all)));
        ASSERT_TRUE(shape);
        EXPECT_LT(worst(*shape, atoms), 2e-5);
        EXPECT_TRUE(flat < 1 || without(*shape, {2}));
        EXPECT_TRUE(flat < 2 || without(*shape, {1, 2}));
    }
    EXPECT_FALSE(shape_of_distances(cluster_of(3, {{0, 1, 0.1}, {1, 2, 0.1}}))) << "an angle is free";
    EXPECT_FALSE(shape_of_distances(cluster_of(3, {{0, 1, 0.1}, {1, 2, 0.1}, {0, 2, 0.3}}))) << "no triangle";
}

/// What constraints of molecules are, or are not, rigid bodies.
std::vector<RigidBody> found(const std::vector<Vec3>& atoms, const std::vector<Constraint>& constraints)
{
    const auto type = molecule("M", std::vector<double>(atoms.size(), 12.0), constraints);
    std::vector<IVec3> x;
    const Box box(Mat3(Vec3(4.0, 4.5, 5.0).asDiagonal()), position_bits);
    for (const auto& r : atoms) {
        x.push_back(to_lattice(r, position_unit)); // across all faces of the box
        box.wrap(x.back());
    }
    return rigid_clusters(type, x, box);
}

TEST(RigidShape, IsFoundWhereConstraintsFixIt)
{
    auto methane = tetrahedron(0.178);
    methane.insert(methane.begin(), Vec3::Zero());
    auto nine = bonds_between(methane, all_pairs(5));
    nine.pop_back();
    ASSERT_EQ(found(methane, nine).size(), 1u);
    EXPECT_LT(worst(found(methane, nine)[0].shape, methane), 1e-9);

    // A ring with its diagonals: in a plane no distance is fixed to first order by those of the others.
    auto ring = circle(6, Vec3::Zero(), 0.14, 0.0);
    auto pairs = all_pairs(6);
    const auto all = bonds_between(ring, pairs);
    ASSERT_EQ(found(ring, rounded(all)).size(), 1u);
    EXPECT_TRUE(without(found(ring, rounded(all))[0].shape, {2}));
    EXPECT_EQ(found(ring, all)[0].degrees_of_freedom, 6);
    EXPECT_EQ(found(carbon_dioxide(), bonds_between(carbon_dioxide(), all_pairs(3)))[0].degrees_of_freedom, 5);

    EXPECT_TRUE(found(ring, bonds_between(ring, closed(6))).empty()) << "bonds of a ring";
    const auto chair = circle(6, Vec3::Zero(), 0.145, 0.025);
    auto bonds_and_angles = closed(6);
    for (const auto& pair : neighbours_along(6, 2)) bonds_and_angles.push_back(pair);
    bonds_and_angles.push_back({0, 4});
    bonds_and_angles.push_back({1, 5});
    EXPECT_EQ(found(chair, bonds_between(chair, bonds_and_angles)).size(), 1u);
    bonds_and_angles.pop_back();
    EXPECT_TRUE(found(chair, bonds_between(chair, bonds_and_angles)).empty()) << "one short";
    EXPECT_THROW(found(carbon_dioxide(), {{0, 1, 0.116}, {0, 2, 0.116}, {1, 2, 0.25}}), InputError);
}

Outcome solved(const ConstraintSystem& system, const char* solver)
{
    return project_on_one_rank(system, {solver}, {.tolerance = 1e-14}, 0.002);
}

TEST(Rigid, IsNewtonWithAllDistancesToTheLastUnitOfTheLattice)
{
    for (const double step : {0.006, 0.02}) {
        auto system = all_distances();
        system.disturb(step, 3.0, 11);
        const auto rigid = solved(system, "rigid"), newton = solved(system, "newton");
        for (std::size_t a = 0; a < system.x.size(); ++a) {
            EXPECT_LE((rigid.atoms.x[a] - newton.atoms.x[a]).cwiseAbs().maxCoeff(), 1) << "atom " << a;
            EXPECT_LE((rigid.atoms.v[a] - newton.atoms.v[a]).cwiseAbs().maxCoeff(), 100) << "atom " << a; // 6e-12 nm/ps
        }
        EXPECT_LE(rigid.positions.iterations, step < 0.01 ? 4 : 5);
        EXPECT_LT(rigid.positions.max_residual(), 1e-13);
        EXPECT_LT(rigid.velocities.max_residual() * 0.002, 1e-13);
        for (const auto stage : {&Outcome::positions, &Outcome::velocities})
            for (std::size_t k = 0; k < 9; ++k) {
                const double expected = (newton.*stage).virial[k].value();
                EXPECT_NEAR((rigid.*stage).virial[k].value(), expected, 1e-8 * (1.0 + std::abs(expected)));
            }
    }
}

/// With RATTLE for a rigid body, energy and angular momentum are what they were at the end of every step, whatever the
/// step; the rounding of positions and velocities is all that changes them. HOLON_ROTOR_STEPS: for longer than a test
/// should take, with limits that grow as a random walk does.
TEST(Rigid, FreeBodiesKeepEnergyAndAngularMomentum)
{
    const char* const asked = std::getenv("HOLON_ROTOR_STEPS");
    const int steps = asked != nullptr ? std::atoi(asked) : 10000;
    const double limit = 1e-10 * std::max(1.0, std::sqrt(steps / 10000.0));
    const std::vector<double> lopsided{12.0, 1.0, 2.0, 3.0};
    std::vector<double> heavy(12, 1.0);
    heavy[3] = 19.0;
    for (const auto& [name, masses, shape] : {std::tuple("Top", lopsided, tetrahedron(0.17)),
                                              {"Plane", heavy, flat_benzene()},
                                              {"CO2", std::vector<double>{12.0, 16.0, 18.0}, carbon_dioxide()}})
        for (const double dt : {0.002, 0.004}) {
            FreeBody body(rigid_molecule(name, masses, shape), shape, "rigid");
            const auto before = body.invariants();
            const double l = Vec3(before[1], before[2], before[3]).norm();
            for (int k = 0; k < steps; ++k) body.step(dt);
            const auto after = body.invariants();
            Vec3 change;
            for (int k = 0; k < 3; ++k) change[k] = after[index(k) + 1] - before[index(k) + 1];
            EXPECT_LT(std::abs(after[0] / before[0] - 1.0), limit) << name;
            EXPECT_LT(change.norm() / l, limit) << name;
            EXPECT_LT(body.length_error(), 1e-13) << name;
            if (asked != nullptr)
                std::printf("%s, %g ps: energy %.2e, angular momentum %.2e, lengths %.2e\n", name, dt,
                            after[0] / before[0] - 1.0, change.norm() / l, body.length_error());
        }
}

/// From positions that are off the shape, as in files, a body comes onto it, about its centre of mass.
TEST(Rigid, MakesBodiesOfWhatIsOutOfShape)
{
    auto system = bodies();
    system.disturb(0.0, 0.0, 1);
    Noise noise(73);
    for (auto& x : system.x_ref) x += to_lattice(0.002 * noise.vector(), position_unit);
    system.x = system.x_ref;
    SolverSettings settings;
    Constraints constraints(system.topology, system.clusters, {"rigid"}, settings);
    LocalPart part(system, 0, [](AtomId) { return 0; });
    constraints.rebuild(part.atoms, part.directory());
    const auto result = constraints.project_positions(part.atoms, system.box, {0, 0.0, 0.0});
    EXPECT_EQ(result.failure, "");
    EXPECT_GT(system.max_length_error(system.x), 1e-3);
    EXPECT_LT(system.max_length_error(part.atoms.x), 2e-13); // links of 0.04 nm
    for (std::size_t a = 0; a < system.x.size(); ++a)
        EXPECT_LT(to_real(IVec3(part.atoms.x[a] - system.x[a]), position_unit).norm(), 0.01);
}

TEST(Rigid, RefusesWhatIsNoBody)
{
    const auto refused = [](MoleculeType type, const RigidBody& body) -> std::string {
        try {
            add_body(type, body);
            refuse_links(type);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const auto ring = circle(6, Vec3::Zero(), 0.14, 0.0);
    auto type = molecule("Ring", std::vector<double>(6, 12.0), bonds_between(ring, closed(6)));
    const RigidBody half{
        .atoms = {0, 1, 2}, .shape = {ring[0], ring[1], ring[2]}, .degrees_of_freedom = 6, .given = {}};
    EXPECT_NE(refused(type, half).find("a constraint binds it to an atom outside"), std::string::npos);
    type.constraints.clear();
    EXPECT_EQ(refused(type, half), "");
    type.atoms[1].mass = 0.0;
    EXPECT_NE(refused(type, half).find("atom 2 (A2) can not be in a rigid body: it has no mass"), std::string::npos);
    type.atoms[1].mass = 12.0;
    type.atoms[2].frozen = true;
    EXPECT_NE(refused(type, half).find("it is frozen"), std::string::npos);
    type.atoms[2].frozen = false;
    type.bodies.push_back(half);
    EXPECT_NE(refused(type, half).find("it is in another one"), std::string::npos);
}

} // namespace
} // namespace holon::test
