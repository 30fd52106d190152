// Minimisers of systems whose minima are known, or that they have to agree on.
#include <holon/core/error.hpp>

#include <support/measured_run.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

struct Result {
    double potential = 0.0;
    std::int64_t steps = 0;
    std::string verdict;
};

Result minimise(const TestSystem& system, const std::string& mdp)
{
    MeasuredRun run(system, Communicator(), "precision = double\n" + mdp);
    const auto all = run.advance(5000);
    for (std::size_t k = 1; k < all.size(); ++k)
        EXPECT_LE(all[k].forces.potential, all[k - 1].forces.potential + 1e-5) << mdp << "step " << k;
    return {all.back().forces.potential, all.back().step, run.verdict()};
}

/// Springs alone: the minimum is where nothing is stretched, and quadratic from the start.
TEST(Minimisers, FindTheMinimumOfSprings)
{
    TestSystem system(cubic(4.0));
    system.set_types({{0.0, 0.0}});
    auto type = molecule("Ion", {20.0}, {});
    auto& restraint = type.interactions[static_cast<std::size_t>(Interaction::position_restraint)];
    restraint.atoms = {0};
    restraint.parameters = {0};
    system.topology->parameters[static_cast<std::size_t>(Interaction::position_restraint)] = {{100.0, 2000.0, 30000.0}};
    Noise noise(3);
    const auto positions = jittered_lattice(cubic(4.0), 4, 0.01, noise);
    for (std::size_t k = 0; k < positions.size(); ++k)
        system.topology->restraint_references.emplace_back(static_cast<AtomId>(k),
                                                           positions[k] + 0.05 * noise.vector());
    system.add(std::move(type), positions);
    const std::string cutoffs = "rcoulomb = 0.3\nrvdw = 0.3\nrvdw-switch = 0.2\nemtol = 1e-4\nintegrator = ";
    for (const char* which : {"cg", "l-bfgs"}) {
        const auto result = minimise(system, cutoffs + which);
        EXPECT_LT(result.potential, 1e-9) << which;
        EXPECT_LT(result.steps, 60) << which;
        EXPECT_EQ(result.verdict.substr(0, 9), "Converged") << result.verdict;
    }
}

TEST(Minimisers, ConvergeWhereSteepestDescentIsSlow)
{
    const auto argon_start = argon(octahedron(2.1), 5, 0.03);
    for (const char* which : {"cg", "l-bfgs"}) {
        const auto result = minimise(argon_start, std::string("emtol = 0.01\nintegrator = ") + which);
        EXPECT_EQ(result.verdict.substr(0, 9), "Converged") << which << result.verdict;
    }
    const auto coil = chain(dodecahedron(2.2), 5, true);
    const std::string smooth = "coulombtype = reaction-field\nepsilon-rf = 0\nemtol = 10\nintegrator = ";
    const auto steep = minimise(coil, smooth + "steep");
    for (const char* which : {"cg", "l-bfgs"}) {
        const auto result = minimise(coil, smooth + which);
        EXPECT_EQ(result.verdict.substr(0, 9), "Converged") << which << result.verdict;
        EXPECT_LT(3 * result.steps, steep.steps) << which;
    }
}

TEST(Minimisers, ConjugateGradientsKeepConstraints)
{
    for (const auto& [system, extra] :
         {std::pair(water(octahedron(1.9), 4, 3), std::string("emtol = 5\n")),
          std::pair(trimers(dodecahedron(2.2), 4), std::string("emtol = 0.01\nconstraint-algorithm = newton\n"))}) {
        MeasuredRun run(system, Communicator(),
                        extra + "coulombtype = reaction-field\nepsilon-rf = 0\nprecision = double\n"
                                "integrator = cg\n");
        const auto all = run.advance(1000);
        if (extra.starts_with("emtol = 5")) { // the free molecules of the other have hardly any forces to go by
            EXPECT_EQ(run.verdict().substr(0, 9), "Converged") << run.verdict();
        }
        EXPECT_LT(all.back().forces.potential, all.front().forces.potential);
        EXPECT_LT(run.system().constraint_errors.length(), 1e-9);
    }
}

TEST(Minimisers, MixedPrecisionConvergesToWhatItCanTell)
{
    for (const char* which : {"cg", "l-bfgs"}) {
        MeasuredRun run(argon(octahedron(2.1), 5, 0.03), Communicator(),
                        std::string("emtol = 1e-7\nintegrator = ") + which);
        run.advance(5000);
        EXPECT_EQ(run.verdict().substr(0, 18), "No further descent") << run.verdict();
        const auto force = run.verdict().substr(run.verdict().find("force is ") + 9);
        EXPECT_LT(std::stod(force), 0.1) << run.verdict();
    }
}

TEST(Minimisers, LBfgsRefusesConstraints)
{
    EXPECT_THROW(MeasuredRun(water(octahedron(1.9), 4, 3), Communicator(), "integrator = l-bfgs\n"), InputError);
}

} // namespace
} // namespace holon::test
