#include <holon/system/clusters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace holon {
namespace {

using Indices = std::vector<std::int32_t>;

MoleculeType molecule(std::size_t n_atoms, const std::vector<std::pair<int, int>>& bonds)
{
    MoleculeType type;
    type.atoms.resize(n_atoms);
    for (const auto& [i, j] : bonds) type.constraints.push_back({i, j, 0.1});
    return type;
}

std::vector<std::pair<int, int>> pairs(const ConstraintCluster& cluster)
{
    std::vector<std::pair<int, int>> result;
    for (const Constraint& c : cluster.constraints) result.emplace_back(c.i, c.j);
    return result;
}

TEST(Clusters, NoConstraints)
{
    const auto clusters = find_clusters(molecule(3, {}));
    EXPECT_TRUE(clusters.clusters.empty());
    EXPECT_EQ(clusters.cluster_of, (Indices{-1, -1, -1}));
    EXPECT_EQ(clusters.group_head, (Indices{0, 1, 2}));
}

TEST(Clusters, HydrogensFollowTheirHeavyAtom)
{
    // CH3 (2; 0 1 3), lone atom 4, OH (6; 5): the lower index leads a pair
    const auto clusters = find_clusters(molecule(7, {{5, 6}, {2, 3}, {0, 2}, {1, 2}}));
    ASSERT_EQ(clusters.clusters.size(), 2u);
    const ConstraintCluster& methyl = clusters.clusters[0];
    EXPECT_EQ(methyl.atoms, (Indices{0, 1, 2, 3}));
    EXPECT_EQ(methyl.centre, 2);
    EXPECT_TRUE(methyl.small);
    EXPECT_EQ(pairs(methyl), (std::vector<std::pair<int, int>>{{0, 2}, {1, 2}, {2, 3}}));
    EXPECT_EQ(methyl.colour_begin, (Indices{0, 1, 2, 3})); // all share an atom: three colours
    EXPECT_EQ(clusters.clusters[1].centre, 5);
    EXPECT_EQ(clusters.cluster_of, (Indices{0, 0, 0, 0, -1, 1, 1}));
    EXPECT_EQ(clusters.group_head, (Indices{2, 2, 2, 2, 4, 5, 5}));
}

TEST(Clusters, ChainIsColouredAlternately)
{
    const auto clusters = find_clusters(molecule(6, {{4, 5}, {3, 4}, {2, 3}, {1, 2}, {0, 1}}));
    ASSERT_EQ(clusters.clusters.size(), 1u);
    const ConstraintCluster& chain = clusters.clusters[0];
    EXPECT_EQ(pairs(chain), (std::vector<std::pair<int, int>>{{0, 1}, {2, 3}, {4, 5}, {1, 2}, {3, 4}}));
    EXPECT_EQ(chain.colour_begin, (Indices{0, 3, 5}));
    EXPECT_EQ(chain.centre, 1);
    EXPECT_FALSE(chain.small);
    EXPECT_EQ(clusters.group_head, (Indices{0, 1, 2, 3, 4, 5}));
}

TEST(Clusters, SmallMeansAStarOfAtMostSix)
{
    std::vector<std::pair<int, int>> star;
    for (int k = 1; k <= max_small_cluster; ++k) star.emplace_back(0, k);
    EXPECT_TRUE(find_clusters(molecule(8, star)).clusters[0].small);
    star.emplace_back(0, 7);
    EXPECT_FALSE(find_clusters(molecule(8, star)).clusters[0].small);
    EXPECT_FALSE(find_clusters(molecule(3, {{0, 1}, {1, 2}, {0, 2}})).clusters[0].small) << "a triangle is no star";
}

TEST(Clusters, SettlesFollowTheOxygen)
{
    MoleculeType type = molecule(8, {{0, 1}});
    type.settles = {{2, 0.1, 0.16}, {5, 0.1, 0.16}};
    const auto clusters = find_clusters(type);
    EXPECT_EQ(clusters.cluster_of, (Indices{0, 0, -1, -1, -1, -1, -1, -1}));
    EXPECT_EQ(clusters.group_head, (Indices{0, 0, 2, 2, 2, 5, 5, 5}));
}

/// Random graphs against the definitions: components, proper colouring, number of colours.
TEST(Clusters, RandomGraphs)
{
    std::mt19937 random(7);
    for (unsigned trial = 0; trial < 50; ++trial) {
        const int n = 30;
        std::set<std::pair<int, int>> bonds;
        while (bonds.size() < 28 + 8 * trial) { // from trees and rings to nearly all pairs
            const int i = static_cast<int>(random() % n), j = static_cast<int>(random() % n);
            if (i < j) bonds.insert({i, j});
        }
        std::vector<std::pair<int, int>> shuffled(bonds.begin(), bonds.end());
        std::shuffle(shuffled.begin(), shuffled.end(), random);
        const auto clusters = find_clusters(molecule(n, shuffled));

        std::vector<int> label(n), degree(n, 0);
        for (int k = 0; k < n; ++k) label[static_cast<std::size_t>(k)] = k;
        for (int pass = 0; pass < n; ++pass)
            for (const auto& [i, j] : bonds) {
                int &a = label[static_cast<std::size_t>(i)], &b = label[static_cast<std::size_t>(j)];
                a = b = std::min(a, b);
            }
        for (const auto& [i, j] : bonds) ++degree[static_cast<std::size_t>(i)], ++degree[static_cast<std::size_t>(j)];
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                if (degree[a] == 0 || degree[b] == 0) continue;
                EXPECT_EQ(label[a] == label[b], clusters.cluster_of[a] == clusters.cluster_of[b]);
            }
        }

        std::size_t found = 0;
        for (const ConstraintCluster& cluster : clusters.clusters) {
            found += cluster.constraints.size();
            EXPECT_TRUE(std::is_sorted(cluster.atoms.begin(), cluster.atoms.end()));
            int highest = 0;
            for (const auto atom : cluster.atoms) highest = std::max(highest, degree[static_cast<std::size_t>(atom)]);
            EXPECT_EQ(degree[static_cast<std::size_t>(cluster.centre)], highest);
            EXPECT_LE(static_cast<int>(cluster.colour_begin.size()) - 1, 2 * highest - 1);
            EXPECT_EQ(cluster.colour_begin.back(), static_cast<std::int32_t>(cluster.constraints.size()));
            for (std::size_t c = 0; c + 1 < cluster.colour_begin.size(); ++c) {
                std::set<std::int32_t> used;
                for (auto k = cluster.colour_begin[c]; k < cluster.colour_begin[c + 1]; ++k) {
                    const Constraint& constraint = cluster.constraints[static_cast<std::size_t>(k)];
                    EXPECT_TRUE(used.insert(constraint.i).second && used.insert(constraint.j).second);
                }
                EXPECT_FALSE(used.empty());
            }
        }
        EXPECT_EQ(found, bonds.size());
    }
}

} // namespace
} // namespace holon
