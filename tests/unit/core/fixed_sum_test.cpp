// Sums of energies: exact over any range that a force field reaches, in order beyond it.
#include <holon/core/fixed_sum.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace holon {
namespace {

double sum_of(std::initializer_list<double> values)
{
    FixedSum sum;
    for (const double value : values) sum.add(value);
    return sum.value();
}

TEST(FixedSum, IsExactFarBeyondWhatAnyBondReaches)
{
    EXPECT_EQ(sum_of({1.8e8}), 1.8e8);
    EXPECT_EQ(sum_of({-3.5e15, 1.0}), -3.5e15 + 1.0);
    for (const double large : {0x1p22, 0x1p26, 0x1.fffffffffffffp25, 0x1.23456789abcdep63, largest_exact})
        for (const double sign : {1.0, -1.0}) EXPECT_EQ(sum_of({sign * large}), sign * large) << large;
    EXPECT_EQ(sum_of({0x1p63, 0x1p-36, -0x1p63}), 0x1p-36);
}

TEST(FixedSum, RoundsSmallNumbersToTheNearestUnitTiesToEven)
{
    EXPECT_TRUE(to_fixed(0x1p-37) == 0);
    EXPECT_TRUE(to_fixed(0x1.8p-36) == 2);
    EXPECT_TRUE(to_fixed(-0x1.4p-36) == -1);
}

TEST(FixedSum, KeepsTheOrderOfNumbersOfAnySize)
{
    std::vector<double> rising{0.0};
    for (double x = 0x1p-30; x < 0x1p980; x *= 1.37) rising.push_back(x);
    rising.push_back(std::numeric_limits<double>::infinity());
    for (std::size_t k = 1; k < rising.size(); ++k) {
        EXPECT_TRUE(to_fixed(rising[k - 1]) < to_fixed(rising[k])) << rising[k];
        EXPECT_TRUE(to_fixed(-rising[k]) == -to_fixed(rising[k])) << rising[k];
    }
    const double step = std::nextafter(largest_exact, 2.0 * largest_exact);
    EXPECT_TRUE(to_fixed(largest_exact) < to_fixed(step));
    EXPECT_TRUE(to_fixed(std::nextafter(largest_exact, 0.0)) < to_fixed(largest_exact));
}

TEST(FixedSum, HasRoomForAHundredThousandOfTheLargest)
{
    const double infinity = std::numeric_limits<double>::infinity();
    const int128 largest = to_fixed(infinity), room = ~(int128{1} << 127);
    EXPECT_TRUE(largest < room / 100000);
    EXPECT_TRUE(to_fixed(std::nan("")) >= largest);
    EXPECT_TRUE(to_fixed(-std::nan("")) >= largest);
    EXPECT_TRUE(to_fixed(std::nan("")) < room / 100000);
}

} // namespace
} // namespace holon
