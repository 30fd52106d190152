#include <holon/system/load_balance.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace holon {
namespace {

using Density = std::function<double(double, double, double)>;

/// Load of each domain: a density in the unit cube on a grid of points; atoms lie where it is not zero.
std::vector<DomainLoad> loads(const DomainGrid& grid, const Density& density, int points = 64)
{
    const Box box(Mat3::Identity(), 22);
    std::vector<double> sums(static_cast<std::size_t>(grid.size()));
    std::vector<std::vector<IVec3>> atoms(sums.size());
    for (int a = 0; a < points; ++a)
        for (int b = 0; b < points; ++b)
            for (int c = 0; c < points; ++c) {
                const Vec3 s((a + 0.5) / points, (b + 0.5) / points, (c + 0.5) / points);
                const auto x = to_lattice(s, position_unit);
                const auto rank = static_cast<std::size_t>(grid.rank(grid.cell_of(box, x)));
                const double here = density(s[0], s[1], s[2]);
                sums[rank] += here;
                if (here > 0.1) atoms[rank].push_back(x);
            }
    std::vector<DomainLoad> result;
    for (std::size_t rank = 0; rank < sums.size(); ++rank)
        result.push_back(DomainLoad::of(static_cast<std::int64_t>(1e3 * sums[rank]), grid, static_cast<int>(rank), box,
                                        atoms[rank]));
    return result;
}

/// The same load everywhere in each domain.
std::vector<DomainLoad> uniform_loads(const std::vector<std::int64_t>& load)
{
    std::vector<DomainLoad> result;
    for (const auto l : load) result.emplace_back().load = l;
    return result;
}

double imbalance(const std::vector<DomainLoad>& loads)
{
    double most = 0.0, sum = 0.0;
    for (const auto& load : loads) {
        most = std::max(most, static_cast<double>(load.load));
        sum += static_cast<double>(load.load);
    }
    return most / sum * static_cast<double>(loads.size()) - 1.0;
}

constexpr std::array<double, 3> any_width{0.0, 0.0, 0.0};

DomainGrid after(int rounds, DomainGrid grid, const Density& density, const std::array<double, 3>& least = any_width)
{
    for (int round = 0; round < rounds; ++round) grid = balanced(grid, loads(grid, density), least);
    return grid;
}

double slab(double, double, double z)
{
    return z > 0.35 && z < 0.65 ? 1.0 : 0.0;
}

double droplet(double x, double y, double z)
{
    return std::hypot(x - 0.4, y - 0.5, z - 0.6) < 0.3 ? 1.0 : 0.01;
}

TEST(DomainLoad, CountsAtomsByEighths)
{
    const Box box(Mat3::Identity(), 22);
    const DomainGrid grid({2, 1, 1}); // the second domain is [0.5, 1)
    std::vector<IVec3> x;
    for (const double at : {0.49, 0.51, 0.55, 0.6, 0.99, 1.01})
        x.push_back(to_lattice(Vec3(at, 0.5, 0.1), position_unit));
    const auto load = DomainLoad::of(7, grid, 1, box, x);
    EXPECT_EQ(load.load, 7);
    EXPECT_EQ(load.profile[0], (std::array<std::uint8_t, 8>{255, 85, 0, 0, 0, 0, 0, 170}));
    EXPECT_EQ(load.profile[1], (std::array<std::uint8_t, 8>{0, 0, 0, 0, 255, 0, 0, 0}));
    EXPECT_EQ(load.profile[2], (std::array<std::uint8_t, 8>{255, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Balanced, LeavesEqualLoadsAlone)
{
    const DomainGrid grid({2, 3, 4});
    const auto same = balanced(grid, uniform_loads(std::vector<std::int64_t>(24, 1000)), any_width);
    for (int rank = 0; rank < grid.size(); ++rank)
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(same.lower(k, grid.cell(rank)), grid.lower(k, grid.cell(rank)), 1e-12);
}

TEST(Balanced, LeavesAGridWithoutLoadAlone)
{
    const DomainGrid grid({1, 1, 4});
    const auto same = balanced(grid, uniform_loads(std::vector<std::int64_t>(4, 0)), any_width);
    EXPECT_EQ(same.lower(2, {0, 0, 1}), 0.25);
}

TEST(Balanced, PutsFacesAtTheQuantilesOfASlab)
{
    EXPECT_GT(imbalance(loads(DomainGrid({1, 1, 4}), slab)), 0.6);
    const auto grid = after(6, DomainGrid({1, 1, 4}), slab);
    EXPECT_NEAR(grid.lower(2, {0, 0, 1}), 0.425, 0.01);
    EXPECT_NEAR(grid.lower(2, {0, 0, 2}), 0.5, 0.01);
    EXPECT_NEAR(grid.lower(2, {0, 0, 3}), 0.575, 0.01);
}

TEST(Balanced, SharesOutADropletOnAnyGrid)
{
    for (const auto& n : {DomainGrid::Cell{4, 1, 1}, DomainGrid::Cell{2, 2, 2}, DomainGrid::Cell{3, 4, 3}}) {
        const double before = imbalance(loads(DomainGrid(n), droplet));
        const double left = imbalance(loads(after(12, DomainGrid(n), droplet), droplet));
        EXPECT_GT(before, 0.5);
        EXPECT_LT(left, 0.15) << n[0] << n[1] << n[2] << ", before " << before;
    }
}

TEST(Balanced, KeepsAPartitionWithDomainsAsWideAsAskedFor)
{
    std::mt19937_64 random(3);
    const std::array<double, 3> least{0.05, 0.1, 0.4}; // the last: more than an equal share
    DomainGrid grid({5, 4, 3});
    for (int round = 0; round < 200; ++round) {
        std::vector<std::int64_t> load;
        for (int rank = 0; rank < grid.size(); ++rank)
            load.push_back(random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 1000));
        grid = balanced(grid, uniform_loads(load), least);
        for (int rank = 0; rank < grid.size(); ++rank)
            for (int k = 0; k < 3; ++k) {
                const auto cell = grid.cell(rank);
                const double share = 1.0 / grid.n()[static_cast<std::size_t>(k)];
                ASSERT_GE(grid.upper(k, cell) - grid.lower(k, cell),
                          std::min(least[static_cast<std::size_t>(k)], share) - 1e-9);
                ASSERT_GE(grid.lower(k, cell), 0.0);
                ASSERT_LE(grid.upper(k, cell), 1.0);
            }
    }
}

TEST(Balanced, StaysPutUnderNoise)
{
    std::mt19937_64 random(4);
    std::normal_distribution<double> noise(1.0, 0.02);
    auto grid = after(12, DomainGrid({2, 2, 2}), droplet);
    double worst = 0.0;
    for (int round = 0; round < 20; ++round) {
        auto load = loads(grid, droplet);
        for (auto& l : load) l.load = static_cast<std::int64_t>(static_cast<double>(l.load) * noise(random));
        grid = balanced(grid, load, any_width);
        worst = std::max(worst, imbalance(loads(grid, droplet)));
    }
    EXPECT_LT(worst, 0.15);
}

} // namespace
} // namespace holon
