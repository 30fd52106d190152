// Which solver takes which cluster.
#include <support/constraints/constraint_system.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

TEST(SolverList, EachTakesWhatItIsFor)
{
    ConstraintSystem system;
    system.add(rigid_water(), 40, std::vector<Vec3>(120, Vec3::Zero()));
    const Alkane chain(3, {0, 0, 0}, {1, 0, 0});
    system.add(chain.type, 1, chain.positions);
    const auto methyl = molecule("Methyl", {12.0, 1.0, 1.0, 1.0}, {{0, 1, 0.109}, {0, 2, 0.109}, {0, 3, 0.109}});
    system.add(methyl, 2, std::vector<Vec3>(8, Vec3::Zero()));
    const Constraints constraints(system.topology, system.clusters, solver_order({}), {});
    const auto description = constraints.description();
    EXPECT_EQ(description.find("each cluster to the first that takes it of settle, star, m_shake, lincs, "), 0u);
    EXPECT_EQ(description.substr(description.find('\n') + 1), "settle: 40 clusters, 120 constraints\n"
                                                              "star: 2 clusters, 6 constraints\n"
                                                              "lincs: 1 clusters, 10 constraints\n");
}

/// What `constraint-algorithm` says comes before the solvers that are made for such clusters.
TEST(SolverList, EachIsInTheOrderOnce)
{
    Parameters parameters;
    parameters.constraint_algorithm = "m_shake";
    EXPECT_EQ(solver_order(parameters), (std::vector<std::string>{"settle", "m_shake", "star", "newton"}));
    parameters.constraint_algorithm = "star";
    EXPECT_EQ(solver_order(parameters), (std::vector<std::string>{"settle", "star", "m_shake", "newton"}));
    parameters.constraint_algorithm = "newton";
    EXPECT_EQ(solver_order(parameters), (std::vector<std::string>{"settle", "star", "m_shake", "newton"}));
}

/// Stars of more than four arms, and triangles, are not for the solver of stars.
TEST(SolverList, StarsHaveUpToFourArms)
{
    const auto taker = [](const std::vector<double>& masses, const std::vector<Constraint>& bonds) {
        ConstraintSystem system;
        system.add(molecule("M", masses, bonds), 1, std::vector<Vec3>(masses.size(), Vec3::Zero()));
        const auto text = Constraints(system.topology, system.clusters, solver_order({}), {}).description();
        return text.substr(text.find('\n') + 1, text.find(": 1 clusters") - text.find('\n') - 1);
    };
    std::vector<double> masses{12.0};
    std::vector<Constraint> bonds;
    for (int k = 1; k <= 6; ++k) {
        masses.push_back(1.0);
        bonds.push_back({0, k, 0.1});
        EXPECT_EQ(taker(masses, bonds), k <= 4 ? "star" : "m_shake") << k;
    }
    EXPECT_NE(taker({12.0, 1.0, 1.0}, {{0, 1, 0.1}, {0, 2, 0.1}, {1, 2, 0.15}}), "star");
    EXPECT_NE(taker({12.0, 12.0, 1.0, 1.0}, {{0, 1, 0.1}, {1, 2, 0.1}, {0, 3, 0.1}}), "star") << "two in a row";
}

} // namespace
} // namespace holon::test
