// What barostats promise: a conserved energy.
#include <support/measured_run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace holon::test {
namespace {

/// How far the conserved energy gets from where it was, while the box grows [kJ/mol].
double farthest_while_growing(const std::string& barostat, int interval, double dt)
{
    MeasuredRun run(argon(octahedron(2.1), 5, 0.02), Communicator(),
                    "integrator = md-vv\nprecision = double\ngen-vel = yes\ngen-temp = 100\n"
                    "ensemble-temperature = 100\nref-p = -2000\ntau-p = 0.2\ncompressibility = 1e-4\npcoupl = " +
                        barostat + "\nnstpcouple = " + std::to_string(interval) + "\ndt = " + std::to_string(dt) +
                        "\n");
    const auto all = run.advance(std::llround(0.1 / dt));
    double farthest = 0.0;
    for (const auto& m : all) farthest = std::max(farthest, std::abs(m.conserved - all.front().conserved));
    return farthest;
}

/// Also while the box is on its way, when what one action books differs from what the next does, and between actions.
TEST(Barostats, ConserveEnergyToSecondOrderInTheStep)
{
    for (const char* barostat : {"C-rescale", "Parrinello-Rahman", "MTTK", "Berendsen"}) {
        for (const int interval : {1, 5}) {
            const double here = farthest_while_growing(barostat, interval, 0.002),
                         there = farthest_while_growing(barostat, interval, 0.001);
            EXPECT_LT(there, std::max(here / 3.0, 0.001))
                << barostat << " every " << interval << ": " << here << " " << there;
        }
    }
}

/// With DispCorr = Ener the box does not feel how the correction changes with the volume.
TEST(Barostats, TheConservedEnergyHasNothingThatTheBoxDoesNotFeel)
{
    for (const char* correction : {"no", "Ener", "AllEner", "EnerPres", "AllEnerPres"}) {
        MeasuredRun run(
            argon(octahedron(2.1), 5, 0.02), Communicator(),
            std::string("integrator = md-vv\ndt = 0.002\nprecision = double\ngen-vel = yes\ngen-temp = 200\n"
                        "pcoupl = Berendsen\nref-p = 3000\ntau-p = 0.5\ncompressibility = 1e-4\n"
                        "nstpcouple = 1\nDispCorr = ") +
                correction + "\n");
        const auto all = run.advance(300);
        const auto conserved = spread(all, [](const Measurement& m) { return m.conserved; });
        const auto corrections = spread(all, [](const Measurement& m) {
            return m.forces.energy[static_cast<std::size_t>(EnergyTerm::lj_correction)];
        });
        if (correction != std::string("no")) {
            EXPECT_GT(corrections.deviation, 1.0) << correction;
        }
        EXPECT_LT(conserved.deviation, 0.5) << correction;
    }
}

} // namespace
} // namespace holon::test
