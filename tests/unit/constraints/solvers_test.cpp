// Every constraint solver over every small system that it accepts: the same checks for all.
#include <support/constraints/constraint_system.hpp>
#include <support/dense.hpp>

#include <holon/core/error.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double dt = 0.002;

/// Waters here and there; also far from the origin and across the periodic boundary.
ConstraintSystem waters()
{
    ConstraintSystem system;
    Noise noise(1);
    std::vector<Vec3> positions;
    for (int k = 0; k < 40; ++k) {
        const Vec3 oxygen = (k % 5 == 0 ? 1000.0 : 3.0) * noise.vector();
        for (const auto& r : water_positions(oxygen, noise)) positions.push_back(r);
    }
    system.add(rigid_water(), 40, positions);
    system.disturb(0.006, 3.0, 2);
    return system;
}

/// X-H groups with one to four bonds.
ConstraintSystem groups()
{
    ConstraintSystem system;
    for (int n = 1; n <= 4; ++n) {
        std::vector<double> masses{14.007};
        std::vector<Constraint> constraints;
        const std::vector<Vec3> directions{{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
        std::vector<Vec3> positions{Vec3(0.9 * n, 0.3, 0.2)};
        for (int k = 1; k <= n; ++k) {
            masses.push_back(1.008);
            constraints.push_back({0, k, 0.101});
            positions.push_back(positions[0] + 0.101 / std::sqrt(3.0) * directions[static_cast<std::size_t>(k - 1)]);
        }
        system.add(molecule("Group" + std::to_string(n), masses, constraints), 1, positions);
    }
    system.disturb(0.01, 3.0, 3);
    return system;
}

ConstraintSystem alkane()
{
    ConstraintSystem system;
    const Alkane chain(20, {0.1, 0.2, 0.3}, {1.0, 0.4, 0.2});
    system.add(chain.type, 1, chain.positions);
    system.disturb(0.006, 3.0, 4);
    return system;
}

/// A puckered ring of twelve, each bond closed through the others.
ConstraintSystem ring()
{
    ConstraintSystem system;
    constexpr int n = 12;
    constexpr double radius = 0.25, height = 0.04;
    std::vector<Constraint> constraints;
    std::vector<Vec3> positions;
    for (int k = 0; k < n; ++k) {
        const double angle = 2.0 * M_PI * k / n;
        positions.emplace_back(radius * std::cos(angle), radius * std::sin(angle), k % 2 == 0 ? height : -height);
    }
    const double length = (positions[1] - positions[0]).norm();
    for (int k = 0; k < n; ++k) constraints.push_back({std::min(k, (k + 1) % n), std::max(k, (k + 1) % n), length});
    system.add(molecule("Ring", std::vector<double>(n, 14.027), constraints), 1, positions);
    system.disturb(0.015, 2.0, 5);
    return system;
}

struct Case {
    const char* solver;
    ConstraintSystem (*system)();
    const char* name;
};

void PrintTo(const Case& c, std::ostream* os)
{
    *os << c.solver << " " << c.name;
}

std::unique_ptr<Constraints> make_constraints(const ConstraintSystem& system, const char* solver)
{
    SolverSettings settings;
    settings.tolerance = 1e-14;
    settings.lincs_order = 8;
    settings.lincs_iterations = 60;
    return std::make_unique<Constraints>(system.topology, system.clusters, std::vector<std::string>{solver}, settings);
}

/// Those that the solver accepts.
std::vector<Case> cases()
{
    std::vector<Case> all;
    for (const auto& entry : constraint_solvers())
        for (const auto& c : {Case{entry.name, waters, "waters"}, Case{entry.name, groups, "groups"},
                              Case{entry.name, alkane, "alkane"}, Case{entry.name, ring, "ring"}}) {
            try {
                make_constraints(c.system(), c.solver);
                all.push_back(c);
            } catch (const InputError&) {
            }
        }
    return all;
}

/// Largest relative error of a length that a solver may leave, and largest error of a position [nm]; by how much a body
/// turns further, or less, than impulses along the bonds of the reference would have it [nm at its atoms], and what
/// that changes of the virial, relatively.
struct Limits {
    double length = 1e-13, position = 1e-13, rotation = 0.0, virial = 1e-9;
};
Limits limits_of(const std::string& solver)
{
    if (solver == "dlm" || solver == "no_squish") return {.rotation = 2e-5, .virial = 1e-3};
    if (solver == "yoneya") return {1e-2, 2e-3}; // one correction for the most violent of steps
    return {};
}

class Solvers : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override { constraints_->rebuild(part_.atoms, part_.directory()); }

    Vec3 momentum() const
    {
        Vec3 sum = Vec3::Zero();
        for (std::size_t a = 0; a < system_.x.size(); ++a)
            sum += system_.mass(a) * to_real(IVec3(part_.atoms.v[a]), velocity_unit);
        return sum;
    }

    ConstraintSystem system_ = GetParam().system();
    std::unique_ptr<Constraints> constraints_ = make_constraints(system_, GetParam().solver);
    LocalPart part_{system_, 0, [](AtomId) { return 0; }};
};

TEST_P(Solvers, PositionsMeetTheirLengthsAndReportIt)
{
    auto& atoms = part_.atoms;
    ASSERT_GT(system_.max_length_error(atoms.x), 1e-3);
    const auto result = constraints_->project_positions(atoms, system_.box, {1, dt, 1.0 / (dt * dt)});
    EXPECT_EQ(result.failure, "");
    EXPECT_LT(system_.max_length_error(atoms.x), limits_of(GetParam().solver).length);
    EXPECT_DOUBLE_EQ(result.max_residual(), system_.max_length_error(atoms.x));
    EXPECT_EQ(result.messages, 0);
    EXPECT_EQ(result.reductions, 0);
}

TEST_P(Solvers, VelocitiesFollowThePositions)
{
    auto& atoms = part_.atoms;
    constraints_->project_positions(atoms, system_.box, {1, dt, 0.0});
    for (std::size_t a = 0; a < atoms.x.size(); ++a) {
        const Vec3 dx = to_real(IVec3(atoms.x[a] - system_.x[a]), position_unit);
        const Vec3 dv = to_real(IVec3(atoms.v[a] - system_.v[a]), velocity_unit);
        EXPECT_LT((dv - dx / dt).norm(), (3.0 * position_unit + limits_of(GetParam().solver).rotation) / dt);
    }
}

TEST_P(Solvers, VelocitiesStayWithoutAStep)
{
    constraints_->project_positions(part_.atoms, system_.box, {0, 0.0, 0.0});
    EXPECT_EQ(part_.atoms.v, system_.v);
}

TEST_P(Solvers, RatesVanish)
{
    auto& atoms = part_.atoms;
    constraints_->project_positions(atoms, system_.box, {1, 0.0, 0.0});
    ASSERT_GT(system_.max_rate(atoms.x, atoms.v), 1.0);
    const auto result = constraints_->project_velocities(atoms, system_.box, {1, dt, 2.0 / dt});
    EXPECT_EQ(result.failure, "");
    EXPECT_LT(system_.max_rate(atoms.x, atoms.v), 2e-11);
    EXPECT_NEAR(result.max_residual(), system_.max_rate(atoms.x, atoms.v), 1e-13);
}

TEST_P(Solvers, RatesVanishAlsoWhereLengthsAreOnlyRoughlyRight)
{
    auto& atoms = part_.atoms;
    constraints_->project_velocities(atoms, system_.box, {1, dt, 0.0});
    EXPECT_LT(system_.max_rate(atoms.x, atoms.v), 2e-11);
}

TEST_P(Solvers, MomentumAndCentreOfMassAreUntouched)
{
    const Vec3 before = momentum();
    auto& atoms = part_.atoms;
    constraints_->project_positions(atoms, system_.box, {1, dt, 0.0});
    const Vec3 after_positions = momentum();
    constraints_->project_velocities(atoms, system_.box, {1, dt, 0.0});
    // One rounding of half a unit per atom and stage.
    const double bound = velocity_unit * 16.0 * std::sqrt(static_cast<double>(atoms.x.size()));
    EXPECT_LT((after_positions - before).norm(), bound);
    EXPECT_LT((momentum() - after_positions).norm(), bound);
    Vec3 moved = Vec3::Zero();
    for (std::size_t a = 0; a < atoms.x.size(); ++a)
        moved += system_.mass(a) * to_real(IVec3(atoms.x[a] - system_.x[a]), position_unit);
    EXPECT_LT(moved.norm(), position_unit * 16.0 * std::sqrt(static_cast<double>(atoms.x.size())));
}

TEST_P(Solvers, VirialIsThatOfTheDisplacements)
{
    auto& atoms = part_.atoms;
    const double factor = 1.0 / (dt * dt);
    auto result = constraints_->project_positions(atoms, system_.box, {1, dt, factor});
    // Forces of a molecule add up to zero: its first atom may be the origin.
    Mat3 expected = Mat3::Zero();
    for (std::size_t a = 0; a < atoms.x.size(); ++a) {
        const auto origin = static_cast<std::size_t>(system_.topology.place(static_cast<AtomId>(a)).molecule_start);
        const Vec3 moved = to_real(IVec3(atoms.x[a] - system_.x[a]), position_unit);
        const Vec3 r = to_real(IVec3(system_.x_ref[a] - system_.x_ref[origin]), position_unit);
        expected -= 0.5 * factor * system_.mass(a) * r * moved.transpose();
    }
    const double scale = expected.cwiseAbs().maxCoeff(), limit = limits_of(GetParam().solver).virial * scale;
    ASSERT_GT(scale, 1.0);
    for (int k = 0; k < 9; ++k)
        EXPECT_NEAR(result.virial[static_cast<std::size_t>(k)].value(), expected(k / 3, k % 3), limit) << k;

    const auto before = atoms.v;
    result = constraints_->project_velocities(atoms, system_.box, {1, dt, 2.0 / dt});
    expected.setZero();
    for (std::size_t a = 0; a < atoms.x.size(); ++a) {
        const auto origin = static_cast<std::size_t>(system_.topology.place(static_cast<AtomId>(a)).molecule_start);
        const Vec3 change = to_real(IVec3(atoms.v[a] - before[a]), velocity_unit);
        const Vec3 r = to_real(IVec3(atoms.x[a] - atoms.x[origin]), position_unit);
        expected -= 0.5 * (2.0 / dt) * system_.mass(a) * r * change.transpose();
    }
    for (int k = 0; k < 9; ++k)
        EXPECT_NEAR(result.virial[static_cast<std::size_t>(k)].value(), expected(k / 3, k % 3), 1e-9 * scale) << k;
}

TEST_P(Solvers, WhatIsRightStays)
{
    auto& atoms = part_.atoms;
    constraints_->project_positions(atoms, system_.box, {1, 0.0, 0.0});
    atoms.x_ref = atoms.x;
    const auto x = atoms.x;
    constraints_->project_positions(atoms, system_.box, {2, 0.0, 0.0});
    const double left = 2.25 * limits_of(GetParam().solver).position / position_unit;
    for (std::size_t a = 0; a < x.size(); ++a)
        EXPECT_LE((atoms.x[a] - x[a]).cwiseAbs().maxCoeff(), static_cast<std::int64_t>(left)) << a;
}

/// Newton's method with one dense matrix for all constraints of the system, in plain doubles: shares nothing with the
/// solvers.
std::vector<Vec3> dense_newton(const ConstraintSystem& system)
{
    std::vector<std::array<std::size_t, 2>> pairs;
    std::vector<double> lengths;
    system.for_each_constraint([&](std::size_t i, std::size_t j, double d) {
        pairs.push_back({i, j});
        lengths.push_back(d);
    });
    const auto n = static_cast<Eigen::Index>(pairs.size());
    const auto n_coordinates = static_cast<Eigen::Index>(3 * system.x.size());
    Eigen::MatrixXd reference = Eigen::MatrixXd::Zero(n, n_coordinates), present = reference;
    Eigen::VectorXd inverse_mass(n_coordinates), move = Eigen::VectorXd::Zero(n_coordinates), g(n);
    for (Eigen::Index a = 0; a < n_coordinates; ++a)
        inverse_mass[a] = 1.0 / system.mass(static_cast<std::size_t>(a / 3));
    for (int iteration = 0; iteration < 10; ++iteration) {
        for (Eigen::Index k = 0; k < n; ++k) {
            const auto [i, j] = pairs[static_cast<std::size_t>(k)];
            const auto ci = static_cast<Eigen::Index>(3 * i), cj = static_cast<Eigen::Index>(3 * j);
            const Vec3 s = system.bond(system.x, i, j) + move.segment<3>(cj) - move.segment<3>(ci);
            const double d = lengths[static_cast<std::size_t>(k)];
            g[k] = 0.5 * (s.squaredNorm() - d * d);
            present.block<1, 3>(k, ci) = -s.transpose();
            present.block<1, 3>(k, cj) = s.transpose();
            reference.block<1, 3>(k, ci) = -system.bond(system.x_ref, i, j).transpose();
            reference.block<1, 3>(k, cj) = system.bond(system.x_ref, i, j).transpose();
        }
        const Eigen::MatrixXd weighted = inverse_mass.asDiagonal() * reference.transpose();
        move -= product(weighted, solve(product(present, weighted), g));
    }
    std::vector<Vec3> moves;
    for (Eigen::Index a = 0; a < n_coordinates; a += 3) moves.emplace_back(move.segment<3>(a));
    return moves;
}

TEST_P(Solvers, AgreesWithDenseNewton)
{
    constraints_->project_positions(part_.atoms, system_.box, {1, dt, 0.0});
    const auto expected = dense_newton(system_);
    for (std::size_t a = 0; a < expected.size(); ++a) {
        const Vec3 moved = to_real(IVec3(part_.atoms.x[a] - system_.x[a]), position_unit);
        const auto limits = limits_of(GetParam().solver);
        EXPECT_LT((moved - expected[a]).norm(), limits.position + limits.rotation) << a;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Solvers, ::testing::ValuesIn(cases()),
                         [](const auto& tested) { return std::string(tested.param.solver) + "_" + tested.param.name; });

/// Those of linked units, which nobody else can keep, have linked_units_test.
TEST(SolverList, EverySolverTakesPart)
{
    const auto takes_units = [](const SolverEntry& entry) { return entry.make({})->keeps_units(); };
    for (const auto& entry : constraint_solvers())
        EXPECT_TRUE(takes_units(entry) ||
                    std::ranges::any_of(cases(), [&](const Case& c) { return std::string(c.solver) == entry.name; }));
}

TEST(SolverList, GroupsOfHydrogensNeedFewIterations)
{
    for (const char* solver : {"star", "m_shake"}) {
        auto system = groups();
        Constraints constraints(system.topology, system.clusters, {solver}, {});
        LocalPart part(system, 0, [](AtomId) { return 0; });
        constraints.rebuild(part.atoms, part.directory());
        EXPECT_LE(constraints.project_positions(part.atoms, system.box, {1, dt, 0.0}).iterations, 5);
    }
}

} // namespace
} // namespace holon::test
