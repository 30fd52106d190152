// Brownian and Langevin dynamics of harmonic oscillators, where the error of the step is known in closed form.
#include <holon/core/units.hpp>

#include <support/measured_run.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double spring = 1000.0, temperature = 300.0;

/// Atoms that feel nothing but a spring to where they started.
TestSystem oscillators(int n)
{
    TestSystem system(cubic(4.0));
    system.set_types({{0.0, 0.0}});
    auto type = molecule("Ion", {20.0}, {});
    auto& restraint = type.interactions[static_cast<std::size_t>(Interaction::position_restraint)];
    restraint.atoms = {0};
    restraint.parameters = {0};
    system.topology->parameters[static_cast<std::size_t>(Interaction::position_restraint)] = {{spring, spring, spring}};
    Noise noise(3);
    const auto positions = jittered_lattice(cubic(4.0), n, 0.01, noise);
    for (std::size_t k = 0; k < positions.size(); ++k)
        system.topology->restraint_references.emplace_back(static_cast<AtomId>(k), positions[k]);
    system.add(std::move(type), positions);
    return system;
}

/// Mean potential energy of an oscillator over kT/2 per direction: 1 in the canonical ensemble.
double potential_ratio(const std::string& mdp, int steps)
{
    constexpr int n = 6;
    MeasuredRun run(oscillators(n), Communicator(),
                    "comm-mode = none\ngen-vel = yes\nrcoulomb = 0.3\nrvdw = 0.3\nrvdw-switch = 0.2\ntc-grps = "
                    "System\nref-t = 300\n" +
                        mdp);
    run.advance(200);
    const auto all = run.advance(steps);
    return spread(all, [](const Measurement& m) { return m.forces.potential; }).mean /
           (1.5 * n * n * n * units::boltzmann * temperature);
}

/// B. Leimkuhler, C. Matthews, J. Chem. Phys. 138, 174102 (2013): without any error of the step, here 0.21 / omega.
TEST(LangevinSchemes, BaoabHasExactAveragesOverPositionsOfOscillators)
{
    const double ratio = potential_ratio("integrator = baoab\ndt = 0.03\ntau-t = 0.05\n", 4000);
    EXPECT_NEAR(ratio, 1.0, 0.012);
}

/// x' = (1 - a) x + noise, a = dt spring / friction: the variance is that of the ensemble over 1 - a / 2.
TEST(LangevinSchemes, BrownianDynamicsHasTheErrorOfItsStep)
{
    for (const double a : {0.1, 0.6}) {
        const double friction = 0.01 * spring / a;
        const double expected = 1.0 / (1.0 - 0.5 * a);
        EXPECT_NEAR(
            potential_ratio("integrator = bd\ndt = 0.01\ntau-t = 0\nbd-fric = " + std::to_string(friction), 4000),
            expected, 0.015 * expected);
        EXPECT_NEAR(potential_ratio("integrator = bd\ndt = 0.01\ntau-t = " + std::to_string(20.0 / friction), 4000),
                    expected, 0.015 * expected);
    }
}

/// Of free particles: <x^2> = 6 k T t / friction, and temperatures of the velocities.
TEST(LangevinSchemes, BrownianParticlesDiffuse)
{
    auto gas = argon(cubic(4.0), 8, 0.02);
    gas.topology->c6 = gas.topology->c12 = {0.0}; // which feel nothing
    MeasuredRun run(gas, Communicator(),
                    "integrator = bd\ndt = 0.002\nbd-fric = 500\ntc-grps = System\nref-t = 300\n"
                    "tau-t = 0\nrcoulomb = 0.3\nrvdw = 0.3\nrvdw-switch = 0.2\n");
    std::vector<Vec3> before(gas.size());
    const auto place = [&](std::size_t i) {
        const auto& atoms = run.system().atoms;
        const auto record = canonical(atoms, run.system().box(), static_cast<std::int32_t>(i));
        return std::pair(static_cast<std::size_t>(record.id),
                         to_real(IVec3(record.x + run.system().box().shift(record.image)), position_unit));
    };
    for (std::size_t i = 0; i < gas.size(); ++i) {
        const auto [id, x] = place(i);
        before[id] = x;
    }
    constexpr int steps = 400;
    const auto all = run.advance(steps);
    double squares = 0.0;
    for (std::size_t i = 0; i < gas.size(); ++i) {
        const auto [id, x] = place(i);
        squares += (x - before[id]).squaredNorm() / static_cast<double>(gas.size());
    }
    const double expected = 6.0 * units::boltzmann * temperature * steps * 0.002 / 500.0;
    const double error = std::sqrt(2.0 / 3.0 / static_cast<double>(gas.size()));
    EXPECT_NEAR(squares / expected, 1.0, 4.0 * error);
    EXPECT_NEAR(spread(all, [](const Measurement& m) { return m.temperature; }).mean, temperature,
                4.0 * temperature * error / std::sqrt(steps));
}

/// Heat is booked: what is left is the error of the step, of second order.
TEST(LangevinSchemes, BaoabConservesWhatItBooks)
{
    const auto error = [](int steps_per_ps) {
        MeasuredRun run(argon(octahedron(2.1), 5, 0.02), Communicator(),
                        "integrator = baoab\nprecision = double\ngen-vel = yes\ngen-temp = 200\ntc-grps = System\n"
                        "ref-t = 200\ntau-t = 0.5\ndt = " +
                            std::to_string(1.0 / steps_per_ps));
        return spread(run.advance(steps_per_ps * 8 / 10), [](const Measurement& m) { return m.conserved; }).deviation;
    };
    const double coarse = error(125), fine = error(250);
    EXPECT_GT(fine, 1e-4);
    EXPECT_NEAR(coarse / fine, 4.0, 1.6); // other noise
}

/// Velocities of leap-frog are chords of the circles on which constraints keep atoms. The energy that friction takes of
/// them is short of friction x (step x rate of rotation)^2 / 4 of kT, and so would be the heat, if that were not
/// booked.
TEST(LangevinSchemes, SdBooksTheHeatOfVelocitiesOnCircles)
{
    constexpr int steps = 20000;
    MeasuredRun run(trimers(cubic(7.2), 4, true), Communicator(),
                    "integrator = sd\ndt = 0.005\nconstraint-algorithm = newton\nprecision = double\ngen-vel = yes\n"
                    "gen-temp = 300\ntc-grps = System\nref-t = 300\ntau-t = 0.05\n");
    const auto all = run.advance(steps);
    const double drift = (all.back().conserved - all.front().conserved) / (units::boltzmann * temperature);
    EXPECT_NEAR(drift, 0.0, 8.0); // 40 without
}

/// The constraint forces that a step reports are those of the force on the constraints and of the motion along them:
/// a rigid rotor that turns freely pulls with m v^2 / r, whatever the step.
TEST(LangevinSchemes, BaoabReportsTheVirialOfConstraints)
{
    const auto virial = [](const std::string& integrator) {
        MeasuredRun run(trimers(cubic(7.2), 4, true), Communicator(),
                        "gen-vel = yes\ngen-temp = 300\ndt = 0.0005\nconstraint-algorithm = newton\nprecision = "
                        "double\ntc-grps = System\nref-t = 300\ntau-t = 1e6\nintegrator = " +
                            integrator);
        return run.advance(1).front().virial.trace();
    };
    const double expected = virial("md-vv\n");
    EXPECT_GT(std::abs(expected), 100.0);
    EXPECT_NEAR(virial("baoab\n") / expected, 1.0, 1e-3);
    EXPECT_NEAR(virial("baoab\ngeodesic-steps = 5\n") / expected, 1.0, 1e-3);
}

} // namespace
} // namespace holon::test
