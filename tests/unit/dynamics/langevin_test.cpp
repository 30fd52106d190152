#include <holon/dynamics/langevin.hpp>

#include <holon/core/units.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace holon {
namespace {

constexpr double dt = 0.004, tau = 0.01, temperature = 310.0;
constexpr std::uint64_t seed = 99;

/// Atoms at rest, light and heavy ones in turn, all in coupling group 0.
Atoms at_rest(std::int32_t n)
{
    Atoms atoms;
    atoms.n_owned = atoms.n_total = n;
    const auto size = static_cast<std::size_t>(n);
    for (std::int32_t i = 0; i < n; ++i) atoms.id.push_back(i);
    atoms.x.assign(size, IVec3(1, 2, 3));
    atoms.v.assign(size, IVec3::Zero());
    atoms.tc_group.assign(size, 0);
    for (std::size_t i = 0; i < size; ++i) atoms.mass.push_back(i % 2 == 0 ? 1.008 : 15.9994);
    for (const double m : atoms.mass) atoms.inverse_mass.push_back(1.0 / m);
    return atoms;
}

std::vector<CouplingGroup> one_group(double tau_t = tau)
{
    return {{{"System", {}}, tau_t, temperature}};
}

void impulses(Atoms& atoms, int n, std::int64_t first_step = 0)
{
    for (int k = 0; k < n; ++k) add_friction_and_noise(atoms, one_group(), dt, seed, first_step + k);
}

/// Velocity components in units of their width at the temperature, of every second atom.
std::vector<double> reduced(const Atoms& atoms, std::size_t first)
{
    std::vector<double> values;
    for (std::size_t i = first; i < atoms.v.size(); i += 2)
        for (int k = 0; k < 3; ++k)
            values.push_back(static_cast<double>(atoms.v[i][k]) * velocity_unit *
                             std::sqrt(atoms.mass[i] / (units::boltzmann * temperature)));
    return values;
}

TEST(Langevin, VelocitiesBecomeMaxwellian)
{
    auto atoms = at_rest(40000);
    impulses(atoms, 40);
    for (const std::size_t first : {0, 1}) {
        auto u = reduced(atoms, first);
        const auto n = static_cast<double>(u.size());
        double mean = 0.0, square = 0.0, fourth = 0.0;
        for (const double x : u) {
            mean += x / n;
            square += x * x / n;
            fourth += x * x * x * x / n;
        }
        EXPECT_NEAR(mean, 0.0, 4.0 / std::sqrt(n));
        EXPECT_NEAR(square, 1.0, 4.0 * std::sqrt(2.0 / n));
        EXPECT_NEAR(fourth, 3.0, 4.0 * std::sqrt(96.0 / n));
        std::ranges::sort(u);
        double largest_gap = 0.0; // Kolmogorov and Smirnov
        for (std::size_t k = 0; k < u.size(); ++k)
            largest_gap =
                std::max(largest_gap, std::abs(0.5 * std::erfc(-u[k] / std::sqrt(2.0)) - static_cast<double>(k) / n));
        EXPECT_LT(largest_gap, 1.95 / std::sqrt(n)); // 1 in 1000
    }
}

TEST(Langevin, VelocitiesForgetExponentially)
{
    auto atoms = at_rest(20000);
    impulses(atoms, 40);
    const auto before = reduced(atoms, 0);
    impulses(atoms, 3, 40);
    const auto after = reduced(atoms, 0);
    double correlation = 0.0;
    const auto n = static_cast<double>(before.size());
    for (std::size_t k = 0; k < before.size(); ++k) correlation += before[k] * after[k] / n;
    EXPECT_NEAR(correlation, std::exp(-3.0 * dt / tau), 4.0 / std::sqrt(n));
}

TEST(Langevin, PositionsTakeHalfOfTheChange)
{
    auto atoms = at_rest(10);
    impulses(atoms, 1);
    const auto x = atoms.x, v = atoms.v;
    impulses(atoms, 1, 1);
    for (std::size_t i = 0; i < v.size(); ++i) {
        const Vec3 moved = to_real(IVec3(atoms.x[i] - x[i]), position_unit);
        const Vec3 change = to_real(IVec3(atoms.v[i] - v[i]), velocity_unit);
        EXPECT_GT(change.norm(), 0.01);
        EXPECT_LT((moved - 0.5 * dt * change).norm(), position_unit);
    }
}

TEST(Langevin, HeatIsTheChangeOfTheKineticEnergy)
{
    auto atoms = at_rest(1000);
    impulses(atoms, 40);
    const double expected = 1.5 * 1000 * units::boltzmann * temperature;
    EXPECT_NEAR(local_kinetic_energy(atoms).value(), expected, 4.0 * expected * std::sqrt(2.0 / 3000.0));
}

TEST(Langevin, NoFrictionNoNoise)
{
    auto atoms = at_rest(4);
    impulses(atoms, 1);
    const auto v = atoms.v;
    for (const double none : {0.0, -1.0}) add_friction_and_noise(atoms, one_group(none), dt, seed, 1);
    EXPECT_EQ(atoms.v, v);
    atoms.tc_group[2] = 255;
    impulses(atoms, 1, 1);
    EXPECT_EQ(atoms.v[2], v[2]);
    EXPECT_NE(atoms.v[1], v[1]);
}

TEST(Langevin, NoiseBelongsToSeedStepAndAtom)
{
    auto atoms = at_rest(100), reversed = at_rest(100), other_seed = at_rest(100), other_step = at_rest(100);
    std::ranges::reverse(reversed.id);
    std::ranges::reverse(reversed.mass);
    std::ranges::reverse(reversed.inverse_mass);
    for (auto* a : {&atoms, &reversed}) impulses(*a, 1, 5);
    impulses(other_step, 1, 6);
    add_friction_and_noise(other_seed, one_group(), dt, seed + 1, 5);
    std::ranges::reverse(reversed.v);
    EXPECT_EQ(atoms.v, reversed.v);
    EXPECT_NE(atoms.v, other_seed.v);
    EXPECT_NE(atoms.v, other_step.v);
}

} // namespace
} // namespace holon
