// The work of fields and accelerations from outside is booked by every integrator that has a conserved energy.
#include <holon/dynamics/scheme.hpp>

#include <support/measured_run.hpp>
#include <support/site_systems.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace holon::test {
namespace {

double total(const Measurement& m)
{
    return m.forces.potential + m.kinetic;
}

/// Atoms that are all accelerated alike fall: m (v t + a t^2 / 2) a. In velocity Verlet, to rounding.
TEST(OutsideWork, IsThatOfAFreeFall)
{
    constexpr double a = 20.0, dt = 0.002;
    constexpr int steps = 200;
    MeasuredRun run(argon(octahedron(2.1), 5, 0.02), Communicator(),
                    "integrator = md-vv\nprecision = double\ngen-vel = yes\ngen-temp = 100\ncomm-mode = linear\n"
                    "nstcomm = 100000\nacc-grps = System\naccelerate = 0 20 0\ndt = 0.002\n");
    const auto& atoms = run.system().atoms;
    double mass = 0.0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i) mass += atoms.mass[i];
    const auto all = run.advance(steps);
    const auto work = [](const Measurement& m) { return total(m) - m.conserved; };
    const double speed = a * dt * steps, expected = 0.5 * mass * speed * speed; // from rest, as a whole
    EXPECT_NEAR(work(all.back()) - work(all.front()), expected, 1e-6 * expected);
    EXPECT_GT(std::abs(total(all.back()) - total(all.front())), 0.9 * expected);
}

/// How far the conserved energy of waters with a charge off their atoms wanders in 0.2 ps, and the total energy.
std::pair<double, double> changes(const std::string& way, int steps_per_ps)
{
    MeasuredRun run(
        four_site_water(octahedron(2.0), 4), Communicator(),
        "precision = double\ngen-vel = yes\ngen-temp = 300\nconstraint-algorithm = newton\n"
        "comm-mode = none\ncoulombtype = reaction-field\nepsilon-rf = 0\ntc-grps = System\nref-t = 300\ntau-t = 0.5\n" +
            way + "dt = " + std::to_string(1.0 / steps_per_ps) + "\n");
    run.advance(steps_per_ps / 10); // from a lattice
    const auto all = run.advance(steps_per_ps / 5);
    return {spread(all, [](const Measurement& m) { return m.conserved; }).deviation, spread(all, total).deviation};
}

TEST(OutsideWork, IsBookedByEveryIntegrator)
{
    for (const auto& scheme : schemes()) {
        if (scheme.traits.minimises || !scheme.traits.momentum) continue; // nothing is conserved
        for (const char* force : {"electric-field-x = 3\n", "electric-field-y = 3 40 0 0\n",
                                  "electric-field-z = 3 40 0.25 0.05\n", "acc-grps = System\naccelerate = 8 0 -8\n"}) {
            const auto way = "integrator = " + scheme.name + "\n" + force;
            SCOPED_TRACE(way);
            const double coarse = changes(way, 500).first;
            const auto [fine, fine_total] = changes(way, 1000);
            EXPECT_GT(fine_total, 20.0 * fine);
            if (scheme.traits.own_bath) continue; // noise is another at each step
            EXPECT_GT(coarse, 2.5 * fine);
        }
    }
}

} // namespace
} // namespace holon::test
