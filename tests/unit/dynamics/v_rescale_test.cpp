#include <holon/dynamics/v_rescale.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace holon {
namespace {

constexpr double target = 3.5, dt = 0.01;

/// Kinetic energies of the pure stochastic process, far enough apart in time to be independent.
std::vector<double> samples(double dof, int n, std::uint64_t seed)
{
    constexpr double tau = 0.02;
    constexpr int apart = 6; // 3 tau
    std::vector<double> energies;
    double kinetic = target;
    for (int step = 0; step < (n + 20) * apart; ++step) {
        kinetic = rescaled_kinetic_energy(kinetic, target, dof, dt, tau, {seed, step, 0});
        if (step >= 20 * apart && step % apart == 0) energies.push_back(kinetic);
    }
    return energies;
}

double mean(const std::vector<double>& values)
{
    double sum = 0.0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double variance(const std::vector<double>& values)
{
    const double centre = mean(values);
    double sum = 0.0;
    for (const double value : values) sum += (value - centre) * (value - centre);
    return sum / static_cast<double>(values.size());
}

/// The canonical distribution of the kinetic energy: gamma with shape dof / 2 and mean `target`.
TEST(VRescale, SamplesTheCanonicalDistribution)
{
    constexpr int n = 40000;
    for (const double dof : {1.0, 2.0, 3.0, 9.0, 247.0, 50000.0}) {
        const auto energies = samples(dof, n, 17);
        const double expected_variance = target * target * 2.0 / dof;
        const double correlation = 1.1; // (1 + e^-3) / (1 - e^-3)
        EXPECT_NEAR(mean(energies), target, 4.0 * std::sqrt(correlation * expected_variance / n)) << "dof " << dof;
        // Kurtosis of the gamma distribution: the error of the variance.
        const double spread = std::sqrt(correlation * (2.0 + 12.0 / dof) / n);
        EXPECT_NEAR(variance(energies) / expected_variance, 1.0, 4.0 * spread) << "dof " << dof;
        EXPECT_GE(std::ranges::min(energies), 0.0);
    }
}

/// The whole distribution, where it is simple: for two degrees of freedom it is exponential.
TEST(VRescale, TwoDegreesOfFreedomAreExponential)
{
    auto energies = samples(2.0, 20000, 5);
    std::ranges::sort(energies);
    double largest_gap = 0.0; // Kolmogorov and Smirnov
    for (std::size_t k = 0; k < energies.size(); ++k)
        largest_gap = std::max(largest_gap, std::abs(1.0 - std::exp(-energies[k] / target) -
                                                     static_cast<double>(k) / static_cast<double>(energies.size())));
    EXPECT_LT(largest_gap, 1.95 / std::sqrt(static_cast<double>(energies.size()))); // 1 in 1000
}

TEST(VRescale, RelaxesWithTimeTau)
{
    // Averaged over many runs, the distance from the target decays as exp(-t / tau).
    constexpr double tau = 0.1, dof = 300.0;
    constexpr int runs = 2000, steps = 10;
    double sum = 0.0;
    for (std::uint32_t run = 0; run < runs; ++run) {
        double kinetic = 2.0 * target;
        for (int step = 0; step < steps; ++step)
            kinetic = rescaled_kinetic_energy(kinetic, target, dof, dt, tau, {1, step, run});
        sum += kinetic;
    }
    EXPECT_NEAR(sum / runs, target * (1.0 + std::exp(-steps * dt / tau)), 4.0 * target * std::sqrt(4.0 / dof / runs));
}

TEST(VRescale, WithoutTauTheEnergyIsDrawnAnew)
{
    for (int step = 0; step < 10; ++step)
        EXPECT_EQ(rescaled_kinetic_energy(1.0, target, 30.0, dt, 0.0, {3, step, 0}),
                  rescaled_kinetic_energy(1000.0, target, 30.0, dt, 0.0, {3, step, 0}));
}

TEST(VRescale, RandomNumbersBelongToSeedStepAndGroup)
{
    const auto draw = [](std::uint64_t seed, std::int64_t step, std::uint32_t group) {
        return rescaled_kinetic_energy(target, target, 30.0, dt, 0.1, {seed, step, group});
    };
    EXPECT_EQ(draw(1, 2, 3), draw(1, 2, 3));
    EXPECT_NE(draw(1, 2, 3), draw(2, 2, 3));
    EXPECT_NE(draw(1, 2, 3), draw(1, 3, 3));
    EXPECT_NE(draw(1, 2, 3), draw(1, 2, 4));
    EXPECT_NE(draw(1, 2, 3), draw(1, 2 + (std::int64_t{1} << 32), 3));
}

} // namespace
} // namespace holon
