// Distributions that constrained dynamics at a temperature must sample, in short: tools/acceptance constraints has
// more.
#include <support/program_run.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

/// Two rigid bonds of equal beads, free to bend: the mass metric favours the straight and the folded chain,
/// p(cos a) ~ sqrt(4 - cos^2 a), so that the mean of cos^2 a is 0.321021 instead of 1/3.
TEST(Ensemble, AnglesOfFreeTrimersFollowTheMassMetric)
{
    constexpr double expected = 0.321021, spread = 0.30; // standard deviation of cos^2 a
    constexpr int molecules = 8 * 8 * 8, samples = 80;
    ProgramRun run(trimers(cubic(7.2), 8, false), Communicator::world(),
                   "integrator = sd\ndt = 0.01\nconstraint-algorithm = newton\ngen-temp = 300\n"
                   "tc-grps = System\ntau-t = 0.2\nref-t = 300\n");
    double sum = 0.0;
    run.advance(100);
    for (int k = 0; k < samples; ++k) {
        run.advance(40); // samples do not know of each other then
        const auto records = run.records();
        for (std::size_t i = 0; i < records.size(); i += 3) {
            const auto bond = [&](std::size_t end) {
                const IVec3 d = run.system().box().minimum_image(records[end].x - records[i + 1].x);
                return to_real(d, position_unit);
            };
            const double cosine = bond(i).dot(bond(i + 2)) / (trimer_bond * trimer_bond);
            sum += cosine * cosine;
        }
    }
    const double error = spread / std::sqrt(molecules * samples);
    ASSERT_LT(4.0 * error, 0.5 * (1.0 / 3.0 - expected)) << "too few to tell";
    EXPECT_NEAR(sum / (molecules * samples), expected, 4.0 * error);
}

} // namespace
} // namespace holon::test
