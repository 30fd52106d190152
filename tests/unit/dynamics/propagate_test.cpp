#include <holon/dynamics/propagate.hpp>

#include <gtest/gtest.h>

#include <random>

namespace holon {
namespace {

/// Atoms with any bits in their integers, and a copy that must not be moved.
Atoms random_atoms(int n, unsigned seed)
{
    std::mt19937_64 random(seed);
    const auto vector = [&random](int bits) {
        const auto component = [&] { return static_cast<std::int64_t>(random()) >> (64 - bits); };
        return IVec3(component(), component(), component());
    };
    Atoms atoms;
    atoms.n_owned = n;
    atoms.n_total = n + 1;
    for (int i = 0; i <= n; ++i) {
        atoms.x.push_back(vector(52));
        atoms.f.push_back(vector(44));
        atoms.mass.push_back(1.0 + static_cast<double>(random() % 1000) / 17.0);
        atoms.inverse_mass.push_back(1.0 / atoms.mass.back());
        if (i < n) atoms.v.push_back(vector(46));
    }
    return atoms;
}

TEST(Propagate, KickAndDriftAreUndoneBitForBit)
{
    for (const double dt : {0.001, 0.002, 0.0005 / 3.0}) {
        auto atoms = random_atoms(500, 1);
        const auto start = atoms;
        for (int step = 0; step < 20; ++step) {
            kick(atoms, 0.5 * dt);
            drift(atoms, dt);
        }
        EXPECT_NE(atoms.x, start.x);
        EXPECT_NE(atoms.v, start.v);
        for (int step = 0; step < 20; ++step) {
            drift(atoms, -dt);
            kick(atoms, -0.5 * dt);
        }
        EXPECT_EQ(atoms.x, start.x);
        EXPECT_EQ(atoms.v, start.v);
    }
}

TEST(Propagate, DriftFromReferenceIsADriftThatKeepsWhereItBegan)
{
    auto atoms = random_atoms(300, 4), other = atoms;
    const auto start = atoms.x;
    drift(atoms, 0.002);
    other.x_ref.clear(); // whatever it was
    drift_from_reference(other, 0.002);
    EXPECT_EQ(other.x_ref, start);
    ASSERT_EQ(other.x.size(), start.size());
    for (std::int32_t i = 0; i < atoms.n_owned; ++i)
        EXPECT_EQ(other.x[static_cast<std::size_t>(i)], atoms.x[static_cast<std::size_t>(i)]);
}

TEST(Propagate, TurningTheVelocitiesIsTheSameAsTurningTime)
{
    auto atoms = random_atoms(500, 2);
    const auto start = atoms;
    kick(atoms, 0.001);
    drift(atoms, 0.002);
    for (auto& v : atoms.v) v = -v;
    drift(atoms, 0.002);
    kick(atoms, 0.001);
    for (auto& v : atoms.v) v = -v;
    EXPECT_EQ(atoms.x, start.x);
    EXPECT_EQ(atoms.v, start.v);
}

TEST(Propagate, ChangesAreThoseOfNewtonRoundedOnce)
{
    auto atoms = random_atoms(200, 3);
    const auto start = atoms;
    constexpr double dt = 0.002;
    kick(atoms, dt);
    for (std::size_t i = 0; i < 200; ++i)
        for (int k = 0; k < 3; ++k) {
            const double expected =
                static_cast<double>(start.f[i][k]) * force_unit / start.mass[i] * dt / velocity_unit;
            EXPECT_NEAR(static_cast<double>(atoms.v[i][k] - start.v[i][k]), expected, 0.5 + 1e-15 * std::abs(expected));
        }
    const auto v = atoms.v;
    drift(atoms, dt);
    for (std::size_t i = 0; i < 200; ++i)
        for (int k = 0; k < 3; ++k) {
            const double expected = static_cast<double>(v[i][k]) * velocity_unit * dt / position_unit;
            EXPECT_NEAR(static_cast<double>(atoms.x[i][k] - start.x[i][k]), expected, 0.5 + 1e-15 * std::abs(expected));
        }
    EXPECT_EQ(atoms.x.back(), start.x.back()) << "copies follow their owners, not their own velocities";
}

TEST(Propagate, AnExplosionSaturatesInsteadOfWrapping)
{
    auto atoms = random_atoms(1, 4);
    atoms.v[0] = IVec3::Zero();
    atoms.f[0] = IVec3::Constant(std::int64_t{1} << 62);
    atoms.inverse_mass[0] = 1e30;
    kick(atoms, 1.0);
    EXPECT_EQ(atoms.v[0], IVec3::Constant(std::int64_t{1} << 58));
}

} // namespace
} // namespace holon
