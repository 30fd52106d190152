// Sparse elimination against a dense solution; the tree of a molecule against what it promises.
#include <constraints/newton/newton_dissection.hpp>
#include <constraints/newton/newton_tree.hpp>
#include <support/constraints/constraint_molecules.hpp>
#include <support/dense.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <tuple>
#include <utility>

namespace holon::test {
namespace {

/// A sparse matrix with a strong diagonal, symmetric in structure but not in value.
struct Sparse {
    std::vector<Entry> entries;
    Eigen::MatrixXd dense;

    Sparse(int n, double density, unsigned seed) : dense(Eigen::MatrixXd::Zero(n, n))
    {
        Noise noise(seed);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) {
                if (i != j && std::abs(noise()) > density) continue;
                put(i, j, i == j ? 4.0 + noise() : noise());
                if (i != j) put(j, i, noise());
            }
    }
    void put(int i, int j, double value)
    {
        entries.emplace_back(i, j);
        dense(i, j) = value;
    }
};

struct Problem {
    int n, n_pivots;
    double density;
};

void expect_dense_solution(const Sparse& matrix, int n, int n_pivots)
{
    const Elimination elimination(n_pivots, n, matrix.entries);
    std::vector<double> values(elimination.n_values(), 0.0), rhs;
    for (const auto& entry : matrix.entries)
        values[static_cast<std::size_t>(elimination.position(entry))] = matrix.dense(entry.first, entry.second);
    Noise noise(4);
    for (int k = 0; k < n; ++k) rhs.push_back(noise());
    const Eigen::VectorXd b = Eigen::Map<Eigen::VectorXd>(rhs.data(), n);
    const Eigen::VectorXd expected = solve(matrix.dense, b);

    const std::vector<double> scale(static_cast<std::size_t>(n_pivots), 2.0);
    auto another = rhs;
    const auto growth = elimination.factor(values, rhs, scale, 1e3);
    elimination.forward(values, another);
    EXPECT_EQ(another, rhs);
    // The Schur complement and its right side determine the unknowns that stay.
    const int n_left = n - n_pivots;
    Eigen::MatrixXd left = Eigen::MatrixXd::Zero(n_left, n_left);
    for (const auto& entry : elimination.remaining())
        left(entry.first - n_pivots, entry.second - n_pivots) =
            values[static_cast<std::size_t>(elimination.position(entry))];
    Eigen::Map<Eigen::VectorXd> tail(rhs.data() + n_pivots, n_left);
    if (n_left > 0) tail = solve(left, tail);
    EXPECT_LT((tail - expected.tail(n_left)).norm(), 1e-13 * n);
    elimination.backward(values, rhs);
    EXPECT_LT((Eigen::Map<Eigen::VectorXd>(rhs.data(), n) - expected).norm(), 1e-13 * n);
    double largest = 0.0;
    for (int k = 0; k < n_pivots; ++k) {
        EXPECT_GT(elimination.inverse_pivot(values, k), 0.0);
        largest = std::max(largest, 2.0 * elimination.inverse_pivot(values, k));
    }
    EXPECT_EQ(growth.largest, largest);
    EXPECT_TRUE(growth.is_sound);

    // Elements of the inverse between the unknowns that stay give all others on the pattern.
    auto inverse = values;
    const Eigen::MatrixXd whole = inverse_of(matrix.dense);
    for (const auto& entry : elimination.remaining())
        inverse[static_cast<std::size_t>(elimination.position(entry))] = whole(entry.first, entry.second);
    elimination.invert(inverse);
    for (const auto& entry : matrix.entries)
        EXPECT_NEAR(inverse[static_cast<std::size_t>(elimination.position(entry))], whole(entry.first, entry.second),
                    1e-13 * n);

    EXPECT_EQ(elimination.factor(values, rhs, scale, 0.0).is_sound, n_pivots == 0);
}

/// With the pivots in the order in which they are best eliminated.
Sparse reordered(Sparse matrix, int n, int n_pivots)
{
    const auto order = elimination_order(n_pivots, n, matrix.entries);
    EXPECT_TRUE(std::ranges::is_permutation(order, std::views::iota(0, n_pivots)));
    std::vector<int> number(static_cast<std::size_t>(n));
    std::iota(number.begin(), number.end(), 0);
    for (int k = 0; k < n_pivots; ++k) number[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = k;
    const Eigen::MatrixXd before = std::exchange(matrix.dense, Eigen::MatrixXd::Zero(n, n));
    for (auto& [i, j] : matrix.entries) {
        const auto [row, column] = std::pair(number[static_cast<std::size_t>(i)], number[static_cast<std::size_t>(j)]);
        matrix.dense(row, column) = before(i, j);
        std::tie(i, j) = std::pair(row, column);
    }
    return matrix;
}

class EliminationOf : public ::testing::TestWithParam<Problem> {};

TEST_P(EliminationOf, EqualsTheDenseSolution)
{
    const auto [n, n_pivots, density] = GetParam();
    const Sparse matrix(n, density, 3);
    expect_dense_solution(matrix, n, n_pivots);
    expect_dense_solution(reordered(matrix, n, n_pivots), n, n_pivots);
}
INSTANTIATE_TEST_SUITE_P(All, EliminationOf,
                         ::testing::Values(Problem{1, 1, 0.0}, Problem{9, 9, 0.2}, Problem{40, 40, 0.05},
                                           Problem{40, 30, 0.05}, Problem{60, 50, 0.2}, Problem{30, 30, 1.0},
                                           Problem{30, 20, 1.0}, Problem{12, 0, 0.5}));

/// A chain with pairs of twigs at each joint: twigs first, side by side, and nothing is filled.
TEST(EliminationOrder, PivotsThatNeedNotWaitComeTogether)
{
    constexpr int n_joints = 10, n = 3 * n_joints;
    std::vector<Entry> entries;
    const auto couple = [&](int i, int j) { entries.insert(entries.end(), {{i, j}, {j, i}}); };
    for (int k = 0; k < n; ++k) entries.emplace_back(k, k);
    for (int joint = 0; joint < n_joints; ++joint) {
        const int self = 2 * n_joints + joint;
        if (joint > 0) couple(self - 1, self);
        for (int twig = 0; twig < 2; ++twig) couple(self, 2 * joint + twig);
    }
    const auto order = elimination_order(n, n, entries);
    for (int k = 0; k < 2 * n_joints; ++k) EXPECT_LT(order[static_cast<std::size_t>(k)], 2 * n_joints);
    std::vector<int> number(n);
    for (int k = 0; k < n; ++k) number[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])] = k;
    for (auto& [i, j] : entries)
        std::tie(i, j) = std::pair(number[static_cast<std::size_t>(i)], number[static_cast<std::size_t>(j)]);
    EXPECT_EQ(Elimination(n, n, entries).n_values(), entries.size());
}

std::vector<std::array<std::int32_t, 2>> ends_of(const ConstraintSystem& system)
{
    std::vector<std::array<std::int32_t, 2>> ends;
    for (const auto& c : system.clusters[0].clusters[0].constraints) ends.push_back({c.i, c.j});
    return ends;
}

TEST(Dissection, LeavesAreSmallAndTiersFew)
{
    const auto system = freely_jointed(3000);
    const auto result = dissect(3000, ends_of(system), 64, 256);
    std::vector<int> size(result.branches.size(), 0);
    for (const auto leaf : result.leaf_of) ++size[static_cast<std::size_t>(leaf)];
    EXPECT_EQ(result.branches[0].parent, -1);
    EXPECT_EQ(result.branches[0].tier, 1);
    EXPECT_EQ(size[0], 0);
    for (std::size_t b = 1; b < size.size(); ++b) {
        EXPECT_EQ(result.branches[b].parent, 0);
        EXPECT_LE(size[b], 64);
        EXPECT_GE(size[b], 16);
    }
    const auto deep = dissect(3000, ends_of(system), 16, 8);
    EXPECT_EQ(deep.branches[0].tier, 3);
    for (const auto& branch : deep.branches)
        if (branch.parent >= 0) {
            EXPECT_GT(deep.branches[static_cast<std::size_t>(branch.parent)].tier, branch.tier);
        }
}

TEST(Dissection, SmallMoleculesAndStarsStayWhole)
{
    EXPECT_EQ(dissect(60, ends_of(united_atom_c60()), 64, 256).branches.size(), 1u);
    std::vector<std::array<std::int32_t, 2>> star;
    for (int k = 1; k <= 100; ++k) star.push_back({0, k});
    const auto result = dissect(101, star, 64, 256);
    EXPECT_EQ(result.branches.size(), 1u);
    EXPECT_EQ(result.branches[0].tier, 0);
}

/// Few constraints are left to the root: those at the atoms where a chain is cut.
TEST(EliminationTree, CutsWhereItIsCheap)
{
    const auto pivots_of_root = [](const ConstraintSystem& system) {
        const EliminationTree tree(system.topology.molecule_types[0], system.clusters[0].clusters[0]);
        return std::pair(tree.branches[0].n_pivots, static_cast<int>(tree.branches.size()) - 1);
    };
    const auto [chain, chain_leaves] = pivots_of_root(freely_jointed(1000));
    EXPECT_EQ(chain, 2 * (chain_leaves - 1));
    const auto [alkane, alkane_leaves] = pivots_of_root(all_atom_c60());
    EXPECT_EQ(alkane, 4 * (alkane_leaves - 1));
    const auto [loop, loop_leaves] = pivots_of_root(disulphide_macrocycle());
    EXPECT_LE(loop, 10 * loop_leaves);
}

TEST(EliminationTree, EveryConstraintIsEliminatedOnceAndKnowsItsNeighbours)
{
    for (const auto& system :
         {torsion_only_c60(), torsion_only_c200(), disulphide_macrocycle(), lattice(), all_atom_c60()}) {
        const auto& cluster = system.clusters[0].clusters[0];
        const EliminationTree tree(system.topology.molecule_types[0], cluster);
        std::vector<int> eliminated(cluster.constraints.size(), 0), owned(cluster.constraints.size(), 0);
        std::vector<int> homes(cluster.atoms.size(), 0);
        for (const auto& branch : tree.branches) {
            for (int p = 0; p < branch.n_pivots; ++p)
                ++eliminated[static_cast<std::size_t>(branch.unknowns[static_cast<std::size_t>(p)])];
            for (int k = 0; k < branch.n_own; ++k)
                ++owned[static_cast<std::size_t>(branch.unknowns[static_cast<std::size_t>(k)])];
            for (std::size_t a = 0; a < branch.home.size(); ++a)
                homes[static_cast<std::size_t>(branch.atoms[a])] += branch.home[a];
        }
        EXPECT_EQ(tree.branches[0].n_left(), 0u);
        EXPECT_EQ(eliminated, std::vector<int>(cluster.constraints.size(), 1));
        EXPECT_EQ(owned, std::vector<int>(cluster.constraints.size(), 1));
        EXPECT_EQ(homes, std::vector<int>(cluster.atoms.size(), 1));
    }
}

} // namespace
} // namespace holon::test
