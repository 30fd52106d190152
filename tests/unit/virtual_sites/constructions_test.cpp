// Each construction of a virtual site: the shares of its parents are the derivative of its place.
#include <virtual_sites/constructions.hpp>

#include <support/constraints/constraint_system.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

using namespace sites;

struct Case {
    SiteKind kind;
    std::size_t arms;
    std::vector<double> parameters;
};

const std::vector<Case> cases = {{SiteKind::linear, 0, {}},
                                 {SiteKind::linear, 1, {0.4}},
                                 {SiteKind::linear, 2, {0.128, 0.128}},
                                 {SiteKind::linear, 2, {-0.3, 1.7}},
                                 {SiteKind::linear, 5, {0.1, 0.2, 0.3, 0.25, -0.1}},
                                 {SiteKind::line_distance, 1, {0.05}},
                                 {SiteKind::line_distance, 1, {-0.2}},
                                 {SiteKind::plane_distance, 2, {0.5, -0.105}},
                                 {SiteKind::plane_distance, 2, {0.2, 0.15}},
                                 {SiteKind::plane_angle, 2, {-0.04, 0.09}},
                                 {SiteKind::plane_angle, 2, {0.03, -0.1}},
                                 {SiteKind::out_of_plane, 2, {-0.344908, -0.344908, -6.4437903493}},
                                 {SiteKind::out_of_plane, 2, {0.3, -0.1, 4.0}},
                                 {SiteKind::four_atoms, 3, {1.1, 0.9, 0.11}},
                                 {SiteKind::four_atoms, 3, {0.7, 1.3, -0.08}}};

Vec3 place(const Case& c, const std::vector<Vec3>& arm)
{
    Vec3 r = Vec3::Zero();
    with_construction(c.kind, c.arms,
                      [&](const auto& construction) { r = construction.place(arm.data(), c.parameters.data()); });
    return r;
}

std::vector<Vec3> shares(const Case& c, const std::vector<Vec3>& arm, const Vec3& force)
{
    std::vector<Vec3> f(c.arms, Vec3::Zero());
    with_construction(c.kind, c.arms, [&](const auto& construction) {
        construction.share(arm.data(), c.parameters.data(), force, f.data());
    });
    return f;
}

std::vector<Vec3> random_arms(std::size_t n, Noise& noise)
{
    std::vector<Vec3> arms;
    for (std::size_t m = 0; m < n; ++m) {
        Vec3 arm = Vec3::Zero();
        arm[static_cast<int>(m % 3)] = 0.12;
        arms.emplace_back(arm + 0.04 * noise.vector());
    }
    return arms;
}

TEST(Constructions, SharesAreTheDerivativeOfThePlace)
{
    constexpr double h = 2e-4; // [nm]: of differences of the fourth order
    Noise noise(7);
    for (const auto& c : cases)
        for (int repeat = 0; repeat < 20; ++repeat) {
            SCOPED_TRACE(static_cast<int>(c.kind));
            ASSERT_EQ(c.parameters.size(), parameter_count(c.kind, c.arms));
            const auto arms = random_arms(c.arms, noise);
            const Vec3 force = 100.0 * noise.vector();
            const auto f = shares(c, arms, force);
            for (std::size_t m = 0; m < c.arms; ++m)
                for (int k = 0; k < 3; ++k) {
                    const auto work = [&](double step) {
                        auto moved = arms;
                        moved[m][k] += step;
                        return dot(force, place(c, moved));
                    };
                    const double derivative =
                        (8.0 * (work(h) - work(-h)) - (work(2.0 * h) - work(-2.0 * h))) / (12.0 * h);
                    EXPECT_NEAR(f[m][k], derivative, 1e-8 * force.norm());
                }
        }
}

TEST(Constructions, KeepTheirDistances)
{
    Noise noise(8);
    for (const auto& c : cases) {
        const auto arms = random_arms(c.arms, noise);
        const double r = place(c, arms).norm();
        if (c.kind == SiteKind::line_distance) {
            EXPECT_NEAR(r, std::abs(c.parameters[0]), 1e-15);
        }
        if (c.kind == SiteKind::plane_distance) {
            EXPECT_NEAR(r, std::abs(c.parameters[1]), 1e-15);
        }
        if (c.kind == SiteKind::plane_angle) {
            EXPECT_NEAR(r, std::hypot(c.parameters[0], c.parameters[1]), 1e-15);
        }
        if (c.kind == SiteKind::four_atoms) {
            EXPECT_NEAR(r, std::abs(c.parameters[2]), 1e-15);
        }
    }
}

} // namespace
} // namespace holon::test
