// Free bodies that turn about one axis after the other: DLM and NO_SQUISH.
#include <support/constraints/constraint_molecules.hpp>
#include <support/constraints/free_body.hpp>
#include <support/constraints/solver_stages.hpp>

#include <holon/core/index.hpp>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace holon::test {
namespace {

constexpr std::array<const char*, 2> splittings{"dlm", "no_squish"};

/// Three different moments of inertia.
FreeBody asymmetric_top(const char* solver)
{
    const auto shape = tetrahedron(0.17);
    return {rigid_molecule("Top", {12.0, 1.0, 2.0, 3.0}, shape), shape, solver};
}

/// Relative to what they were at the start.
struct Drift {
    double swing = 0.0;          // half of how far the energy goes
    double early = 0.0;          // mean energy of the first half,
    double late = 0.0;           // of the second
    double angular_momentum = 0; // largest change
};

Drift drift_of(FreeBody body, double time, double dt)
{
    const auto before = body.invariants();
    const Vec3 l(before[1], before[2], before[3]);
    const int steps = static_cast<int>(std::lround(time / dt));
    double lowest = 0.0, highest = 0.0;
    Drift drift;
    for (int k = 0; k < steps; ++k) {
        body.step(dt);
        const auto now = body.invariants();
        const double change = now[0] / before[0] - 1.0;
        lowest = std::min(lowest, change);
        highest = std::max(highest, change);
        (2 * k < steps ? drift.early : drift.late) += 2.0 * change / steps;
        drift.angular_momentum = std::max(drift.angular_momentum, (Vec3(now[1], now[2], now[3]) - l).norm() / l.norm());
    }
    drift.swing = 0.5 * (highest - lowest);
    EXPECT_LT(body.length_error(), 1e-13);
    return drift;
}

/// Turns by matrices about the principal axes, shortest moment of inertia first, in plain doubles: shares nothing with
/// the solver.
TEST(SplitRotation, EnergiesAreThoseOfTheProductOfTurns)
{
    constexpr double dt = 0.004;
    for (const auto& [solver, order] : {std::pair("dlm", std::array{0, 1, 2, 1, 0}), {"no_squish", {2, 1, 0, 1, 2}}}) {
        auto body = asymmetric_top(solver);
        const auto before = body.invariants();
        const Eigen::SelfAdjointEigenSolver<Mat3> principal(body.inertia());
        const Vec3 moments = principal.eigenvalues();
        Mat3 axes = principal.eigenvectors();
        if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
        Vec3 l = axes.transpose() * Vec3(before[1], before[2], before[3]);
        const auto energy = [&] { return 0.5 * l.cwiseProduct(l).dot(moments.cwiseInverse()); };
        const double translation = before[0] - energy();
        double largest = 0.0;
        for (int step = 0; step < 300; ++step) {
            for (std::size_t k = 0; k < order.size(); ++k) {
                const double angle = (k == 2 ? 1.0 : 0.5) * dt * l[order[k]] / moments[order[k]];
                l = Eigen::AngleAxisd(-angle, Vec3::Unit(order[k])) * l;
            }
            body.step(dt);
            EXPECT_NEAR(body.invariants()[0] - translation, energy(), 1e-10 * energy()) << solver << " " << step;
            largest = std::max(largest, std::abs(body.invariants()[0] / before[0] - 1.0));
        }
        EXPECT_GT(largest, 1e-7) << solver;
    }
}

/// HOLON_ROTOR_STEPS: for longer than a test should take.
TEST(SplitRotation, EnergyOfAFreeTopSwingsBySecondOrderAndAngularMomentumStays)
{
    const char* const asked = std::getenv("HOLON_ROTOR_STEPS");
    const double time = asked != nullptr ? 0.002 * std::atoi(asked) : 20.0; // [ps]
    const double rounding = 1e-10 * std::max(1.0, std::sqrt(time / 20.0));
    for (const char* solver : splittings) {
        double swing = 0.0;
        for (const double dt : {0.004, 0.002, 0.001}) {
            const auto drift = drift_of(asymmetric_top(solver), time, dt);
            if (asked != nullptr)
                std::printf("%s, %g ps: swing %.3e, drift %.3e, angular momentum %.2e\n", solver, dt, drift.swing,
                            drift.late - drift.early, drift.angular_momentum);
            EXPECT_LT(drift.angular_momentum, rounding) << solver;
            EXPECT_LT(std::abs(drift.late - drift.early), 0.2 * drift.swing) << solver;
            if (swing > 0.0) {
                EXPECT_NEAR(swing / drift.swing, 4.0, 0.2) << solver << " " << dt;
            }
            swing = drift.swing;
        }
        EXPECT_GT(swing, 1e-8) << solver; // it is no other method
        EXPECT_LT(swing, 1e-4) << solver;
    }
}

/// All three integrate the same motion, to second order.
TEST(SplitRotation, ApproachesThatOfImpulsesWithTheSquareOfTheStep)
{
    const auto end = [](const char* solver, double dt) {
        auto body = asymmetric_top(solver);
        for (int k = 0; k < std::lround(0.4 / dt); ++k) body.step(dt);
        return body.positions();
    };
    for (const char* solver : splittings) {
        const auto apart = [&](double dt) {
            const auto a = end(solver, dt), b = end("rigid", dt);
            double largest = 0.0;
            for (std::size_t k = 0; k < a.size(); ++k)
                largest = std::max(largest, to_real(IVec3(a[k] - b[k]), position_unit).norm());
            return largest;
        };
        EXPECT_LT(apart(0.002), 1e-3) << solver;
        EXPECT_GT(apart(0.002), 1e-8) << solver;
        EXPECT_NEAR(apart(0.002) / apart(0.001), 4.0, 0.2) << solver;
    }
}

/// It turns about its angular momentum, at a constant rate.
TEST(SplitRotation, OfALineIsExact)
{
    const auto type = rigid_molecule("CO2", {12.0, 16.0, 18.0}, carbon_dioxide());
    for (const char* solver : splittings) {
        const auto drift = drift_of({type, carbon_dioxide(), solver}, 20.0, 0.004);
        EXPECT_LT(drift.swing, 1e-10) << solver;
        EXPECT_LT(drift.angular_momentum, 1e-10) << solver;
        const auto end = [&](double dt) {
            FreeBody body(type, carbon_dioxide(), solver);
            for (int k = 0; k < std::lround(0.4 / dt); ++k) body.step(dt);
            return body.positions();
        };
        const auto a = end(0.004), b = end(0.001);
        for (std::size_t k = 0; k < a.size(); ++k)
            EXPECT_LT(to_real(IVec3(a[k] - b[k]), position_unit).norm(), 1e-10) << solver;
    }
}

/// Bodies in a plane have a third moment of inertia that is the sum of the others: an axis like any other.
TEST(SplitRotation, OfAPlaneKeepsAngularMomentum)
{
    std::vector<double> masses(12, 1.0);
    masses[3] = 19.0;
    for (const char* solver : splittings) {
        const auto drift =
            drift_of({rigid_molecule("Plane", masses, flat_benzene()), flat_benzene(), solver}, 10.0, 0.002);
        EXPECT_LT(drift.angular_momentum, 1e-10) << solver;
        EXPECT_LT(drift.swing, 1e-4) << solver;
    }
}

/// Forces of a step without a torque, for their virial to be symmetric: nearly those of RATTLE.
TEST(SplitRotation, HasTheVirialOfRattle)
{
    auto system = all_distances();
    system.disturb(0.0, 1.5, 11);
    for (std::size_t a = 0; a < system.x.size(); ++a)
        system.x[a] = system.x_ref[a] + to_lattice(0.001 * to_real(system.v[a], velocity_unit), position_unit);
    const auto solved = [&](const char* solver) {
        return project_on_one_rank(system, {solver}, {}, 0.001).positions.virial;
    };
    const auto expected = solved("rigid");
    double scale = 0.0;
    for (const auto& v : expected) scale = std::max(scale, std::abs(v.value()));
    for (const char* solver : splittings) {
        const auto virial = solved(solver);
        for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(virial[k].value(), expected[k].value(), 1e-3 * scale) << solver;
        for (const auto& [a, b] : {std::pair(1u, 3u), {2u, 6u}, {5u, 7u}})
            EXPECT_NEAR(virial[a].value(), virial[b].value(), 1e-9 * scale) << solver;
    }
}

} // namespace
} // namespace holon::test
