// Rings of units that turn: the tree is cut, multipliers close it.
#include <support/constraints/torsion_molecules.hpp>
#include <support/dense.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

TEST(TorsionLoops, LeaveAsManyTorsionsAsConstraintsDo)
{
    const auto molecule = with_torsions_only(two_rings(1));
    ASSERT_EQ(molecule.tree.n_loops(), 2u);
    const auto rates = molecule.tree.gap_rates();
    EXPECT_EQ(rates.rows(), 12);
    const auto rank = rank_of(rates, 1e-9);
    const auto left = static_cast<Eigen::Index>(molecule.tree.n_torsions()) - rank;
    EXPECT_EQ(left, 3 * std::ssize(molecule.x) - 6 - MoleculeConstraints(molecule.type).size());
    EXPECT_EQ(rank, 10);
}

TEST(TorsionLoops, AccelerationsAreThoseOfConstraints)
{
    for (const unsigned seed : {1u, 2u, 3u}) expect_same_motion(with_torsions_only(two_rings(seed)));
}

TEST(TorsionLoops, CloseAfterTurns)
{
    const auto molecule = with_torsions_only(two_rings(2));
    const MoleculeConstraints constraints(molecule.type);
    Noise noise(5);
    std::vector<double> angles;
    for (std::size_t t = 0; t < molecule.tree.n_torsions(); ++t) angles.push_back(0.05 * noise());
    EXPECT_GT(constraints.values(numbers(molecule.tree.turned(angles))).cwiseAbs().maxCoeff(), 1e-5);
    const auto wanted = angles;
    ASSERT_TRUE(molecule.tree.close(angles));
    const auto x = molecule.tree.turned(angles);
    EXPECT_LT(constraints.values(numbers(x)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_GT((numbers(x) - numbers(molecule.x)).cwiseAbs().maxCoeff(), 1e-3);
    for (std::size_t t = 0; t < angles.size(); ++t) EXPECT_LT(std::abs(angles[t] - wanted[t]), 0.4) << t;

    std::vector<double> torn(molecule.tree.n_torsions(), 0.0); // where no ring can follow
    for (std::size_t t = 0; t < torn.size(); ++t) torn[t] = M_PI * noise();
    const bool closed = molecule.tree.close(torn);
    EXPECT_EQ(closed, constraints.values(numbers(molecule.tree.turned(torn))).cwiseAbs().maxCoeff() < 1e-13);
}

} // namespace
} // namespace holon::test
