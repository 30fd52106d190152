// Rigid units that constraints link: equality with all distances as constraints, recognition, refusals, free motion.
#include <support/constraints/linked_units.hpp>

#include <holon/constraints/rigid_shape.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double dt = 0.002;

struct Outcome {
    std::vector<IVec3> x, v;
    ConstraintResult positions, velocities;
};

Outcome project(const ConstraintSystem& system, const char* solver)
{
    SolverSettings settings;
    settings.tolerance = 1e-14;
    Constraints constraints(system.topology, system.clusters, {solver}, settings);
    LocalPart part(system, 0, [](AtomId) { return 0; });
    constraints.rebuild(part.atoms, part.directory());
    Outcome outcome;
    outcome.positions = constraints.project_positions(part.atoms, system.box, {3, dt, 1.0 / (dt * dt)});
    part.atoms.x.swap(part.atoms.x_ref);
    outcome.velocities = constraints.project_velocities(part.atoms, system.box, {3, dt, 2.0 / dt});
    outcome.x = part.atoms.x_ref;
    outcome.v = part.atoms.v;
    return outcome;
}

struct Kind {
    const char* name;
    LinkedMolecule (*make)();
    bool flat = false;
};

LinkedMolecule nine_rods()
{
    return rods_as_units(9);
}
constexpr std::array<Kind, 4> kinds{
    {{"octane", octane}, {"biphenyl", biphenyl, true}, {"ring_of_units", ring_of_units}, {"rods", nine_rods}}};

class LinkedUnitsTest : public ::testing::TestWithParam<Kind> {};

TEST_P(LinkedUnitsTest, MoveAsAllDistancesDo)
{
    const auto linked = GetParam().make();
    for (const double step : {0.006, 0.015}) {
        auto of_units = linked_system({{linked, linked.as_units()}}, 3),
             of_distances = linked_system({{linked, linked.as_distances(GetParam().flat)}}, 3);
        of_units.disturb(step, 3.0, 11);
        of_distances.disturb(step, 3.0, 11);
        const auto expected = project(of_distances, "newton");
        ASSERT_EQ(expected.positions.failure, "");
        for (const char* solver : {"qshake", "unit_newton"}) {
            const auto found = project(of_units, solver);
            ASSERT_EQ(found.positions.failure, "") << solver;
            double worst = 0.0, worst_v = 0.0;
            for (std::size_t a = 0; a < found.x.size(); ++a) {
                worst =
                    std::max(worst, to_real(IVec3(found.x[a] - expected.x[a]), position_unit).cwiseAbs().maxCoeff());
                worst_v =
                    std::max(worst_v, to_real(IVec3(found.v[a] - expected.v[a]), velocity_unit).cwiseAbs().maxCoeff());
            }
            std::printf("%s, %s: positions %.1e nm, velocities %.1e nm/ps, iterations %ld, lengths %.1e, rates %.1e\n",
                        GetParam().name, solver, worst, worst_v, static_cast<long>(found.positions.iterations),
                        found.positions.max_residual(), found.velocities.max_residual() * dt);
            EXPECT_LT(worst, 1e-13);
            EXPECT_LT(worst_v * dt, 1e-13);
            EXPECT_LT(found.positions.max_residual(), 1e-13);
            EXPECT_LT(found.velocities.max_residual() * dt, 1e-13);
            if (solver == std::string("unit_newton")) {
                EXPECT_LE(found.positions.iterations, step < 0.01 ? 4 : 5);
                EXPECT_LE(found.velocities.iterations, 2);
            }
            for (const auto stage : {&Outcome::positions, &Outcome::velocities})
                for (std::size_t k = 0; k < 9; ++k) {
                    const double value = (expected.*stage).virial[k].value();
                    EXPECT_NEAR((found.*stage).virial[k].value(), value, 1e-8 * (1.0 + std::abs(value)));
                }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, LinkedUnitsTest, ::testing::ValuesIn(kinds),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(LinkedUnits, AreTheCliquesOfConstraints)
{
    const auto linked = octane();
    auto type = linked.as_distances();
    const auto parts = rigid_parts(type);
    ASSERT_EQ(parts.size(), linked.units.size());
    for (const auto& part : parts) {
        EXPECT_NE(std::ranges::find(linked.units, part.atoms), linked.units.end());
        add_body(type, part);
    }
    EXPECT_EQ(type.constraints.size(), 7u);
    const auto clusters = find_clusters(type).clusters;
    ASSERT_EQ(clusters.size(), 1u);
    EXPECT_EQ(clusters[0].units.size(), 8u);
    EXPECT_EQ(clusters[0].n_constraints(), 37) << "as many as distances";
    EXPECT_TRUE(rigid_parts(rods_as_units(3).as_distances()).empty()) << "bonds are links";
}

/// Two tetrahedra have six degrees of freedom against each other: a seventh link follows from the others.
TEST(LinkedUnits, ThatDependOnEachOtherAreRefused)
{
    const Box box(Mat3(Vec3(4.0, 4.5, 5.0).asDiagonal()), position_bits);
    Noise noise(76);
    LinkedMolecule two{
        .name = "Two", .masses = std::vector<double>(8, 12.0), .positions = {}, .units = {}, .links = {}};
    for (int k = 0; k < 8; ++k)
        two.positions.push_back(tetrahedron(0.15)[index(k % 4)] + Vec3(k < 4 ? 1.0 : 1.2, 1.0, 1.0) +
                                0.02 * noise.vector());
    two.units = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    std::vector<IVec3> x;
    for (const auto& r : two.positions) x.push_back(to_lattice(r, position_unit));
    for (const auto& link : std::vector<std::array<int, 2>>{{0, 4}, {0, 5}, {0, 6}, {1, 4}, {1, 5}, {2, 6}}) {
        two.links.push_back(link);
        EXPECT_NO_THROW(check_links(two.as_units(), x, box)) << two.links.size();
    }
    two.links.push_back({3, 7});
    EXPECT_THROW(check_links(two.as_units(), x, box), InputError);
    auto frozen = rods_as_units(3).as_units();
    frozen.atoms.front().frozen = true;
    EXPECT_THROW(check_links(frozen, x, box), InputError);
}

/// RATTLE conserves momentum and angular momentum, and energy up to what swings with the step.
TEST(LinkedUnits, KeepWhatFreeMoleculesKeep)
{
    const auto linked = ring_of_units();
    ConstraintSystem system;
    system.add(linked.as_units(), 1, linked.positions);
    system.disturb(0.0, 1.5, 72);
    for (const char* solver : {"qshake", "unit_newton"}) {
        SolverSettings settings;
        settings.tolerance = 1e-14;
        Constraints constraints(system.topology, system.clusters, {solver}, settings);
        LocalPart part(system, 0, [](AtomId) { return 0; });
        auto& atoms = part.atoms;
        constraints.rebuild(atoms, part.directory());
        atoms.x = atoms.x_ref;
        ASSERT_EQ(constraints.project_velocities(atoms, system.box, {0, dt, 0.0}).failure, "");
        const auto invariants = [&] {
            Vec3 p = Vec3::Zero(), l = Vec3::Zero();
            double energy = 0.0;
            for (std::size_t a = 0; a < atoms.x.size(); ++a) {
                const Vec3 v = to_real(atoms.v[a], velocity_unit), r = to_real(atoms.x[a], position_unit);
                p += system.mass(a) * v;
                l += system.mass(a) * r.cross(v);
                energy += 0.5 * system.mass(a) * dot(v, v);
            }
            return std::tuple(p, l, energy);
        };
        const auto [p, l, energy] = invariants();
        double swing = 0.0;
        for (int step = 1; step <= 500; ++step) {
            atoms.x_ref = atoms.x;
            for (std::size_t a = 0; a < atoms.x.size(); ++a)
                atoms.x[a] += to_lattice(dt * to_real(atoms.v[a], velocity_unit), position_unit);
            ASSERT_EQ(constraints.project_positions(atoms, system.box, {step, dt, 0.0}).failure, "");
            ASSERT_EQ(constraints.project_velocities(atoms, system.box, {step, dt, 0.0}).failure, "");
            swing = std::max(swing, std::abs(std::get<2>(invariants()) / energy - 1.0));
        }
        const auto [p1, l1, energy1] = invariants();
        std::printf("%s: momentum %.1e, angular momentum %.1e of %.1e, energy %.1e, swing %.1e\n", solver,
                    (p1 - p).norm(), (l1 - l).norm(), l.norm(), energy1 / energy - 1.0, swing);
        EXPECT_LT((p1 - p).norm(), 1e-9);
        EXPECT_LT((l1 - l).norm(), 1e-9);
        EXPECT_LT(swing, 1e-3);
        EXPECT_LT(system.max_length_error(atoms.x), 1e-12);
    }
}

} // namespace
} // namespace holon::test
