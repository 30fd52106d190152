// What barostats promise: a conserved energy.
#include <support/measured_run.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

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
