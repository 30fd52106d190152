#include <holon/core/units.hpp>
#include <holon/dynamics/nose_hoover.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace holon {
namespace {

constexpr double thermal = 2.5, tau = 0.5;

ChainSettings chain(double dof)
{
    const double period = tau / (2.0 * units::pi);
    return {dof, thermal, period * period * thermal};
}

/// A gas without forces and its chain.
struct Gas {
    double dof, kinetic;
    std::vector<double> rates;
    double heat = 0.0;

    void advance(double time)
    {
        const double factor = advance_chain(rates, heat, kinetic, time, chain(dof));
        kinetic *= factor * factor;
    }
    double conserved() const { return kinetic + chain_energy(rates, chain(dof)) + heat; }
};

/// Largest change of the conserved energy over half a ps.
double error(std::size_t baths, int steps)
{
    Gas gas{30.0, 60.0, std::vector<double>(baths)};
    const double start = gas.conserved();
    double largest = 0.0;
    for (int k = 0; k < steps; ++k) {
        gas.advance(0.5 / steps);
        largest = std::max(largest, std::abs(gas.conserved() - start));
    }
    return largest;
}

TEST(NoseHoover, AChainConservesItsEnergyToFourthOrder)
{
    for (const std::size_t baths : {1, 2, 3, 10}) {
        const double coarse = error(baths, 64), fine = error(baths, 128);
        EXPECT_GT(coarse, 1e-9) << baths;
        EXPECT_NEAR(coarse / fine, 16.0, 2.5) << baths;
    }
}

TEST(NoseHoover, AChainGoesBackTheWayItCame)
{
    Gas gas{30.0, 60.0, {0.3, -0.2, 0.1}};
    const Gas start = gas;
    for (int k = 0; k < 50; ++k) gas.advance(0.01);
    EXPECT_GT(std::abs(gas.kinetic - start.kinetic), 1.0);
    for (double& rate : gas.rates) rate = -rate;
    for (int k = 0; k < 50; ++k) gas.advance(0.01);
    EXPECT_NEAR(gas.kinetic, start.kinetic, 1e-10);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(gas.rates[k], -start.rates[k], 1e-10);
    EXPECT_NEAR(gas.heat, start.heat, 1e-10);
}

/// Small deviations of a large gas oscillate with the period tau / sqrt(2): d^2 K / dt^2 = -2 K rate', rate' =
/// (2 K - dof kT) / (dof kT (tau / 2 pi)^2).
TEST(NoseHoover, TauIsThePeriod)
{
    Gas gas{1e6, 0.5e6 * thermal * 1.001, {0.0}};
    const double mean = 0.5e6 * thermal;
    double time = 0.0;
    int crossings = 0;
    for (double before = gas.kinetic - mean; crossings < 9; time += 1e-4) {
        gas.advance(1e-4);
        const double now = gas.kinetic - mean;
        if (before * now < 0.0) ++crossings;
        before = now;
    }
    EXPECT_NEAR(time, tau / std::sqrt(2.0) * (0.25 + 4.0), 2e-3);
}

/// One harmonic oscillator, the hardest case: with a chain it visits the canonical distribution, with a single bath it
/// does not. G. J. Martyna, M. L. Klein, M. Tuckerman, J. Chem. Phys. 97, 2635 (1992).
double fourth_moment(std::size_t baths)
{
    const ChainSettings settings{1.0, 1.0, 1.0}; // mass, frequency, kT: 1
    std::vector<double> rates(baths, 0.0);
    rates.back() = 1.0;
    double x = 0.0, v = 1.0, heat = 0.0, second = 0.0, fourth = 0.0;
    constexpr double dt = 0.05;
    constexpr int steps = 400'000;
    for (int k = 0; k < steps; ++k) {
        v *= advance_chain(rates, heat, 0.5 * v * v, 0.5 * dt, settings);
        v -= 0.5 * dt * x;
        x += dt * v;
        v -= 0.5 * dt * x;
        v *= advance_chain(rates, heat, 0.5 * v * v, 0.5 * dt, settings);
        second += x * x / steps;
        fourth += x * x * x * x / steps;
    }
    EXPECT_NEAR(second, 1.0, baths > 1 ? 0.06 : 1.0);
    return fourth / (second * second);
}

TEST(NoseHoover, AnOscillatorWithAChainIsCanonical)
{
    EXPECT_NEAR(fourth_moment(4), 3.0, 0.2); // of a Gaussian
    EXPECT_GT(std::abs(fourth_moment(1) - 3.0), 0.3);
}

} // namespace
} // namespace holon
