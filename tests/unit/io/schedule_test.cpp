#include <holon/io/schedule.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace holon {
namespace {

constexpr auto endless = std::numeric_limits<std::int64_t>::max();

TEST(Schedule, IsTheMultiplesOfItsIntervals)
{
    EXPECT_TRUE(Schedule({0, 0}).empty());
    EXPECT_FALSE(Schedule().due(0));
    const Schedule both = {4, 0, 6};
    for (const int step : {0, 4, 6, 8, 12}) EXPECT_TRUE(both.due(step)) << step;
    for (const int step : {1, 2, 10, 14}) EXPECT_FALSE(both.due(step)) << step;
    for (const int last : {0, 1, 4, 11, 12, 100}) {
        std::int64_t count = 0;
        for (int step = 0; step <= last; ++step) count += both.due(step) ? 1 : 0;
        EXPECT_LE(count, both.most(last)) << last;
    }
    EXPECT_GE(Schedule({1}).most(endless - 1), endless - 1);
}

TEST(Schedule, IsComparedByItsSteps)
{
    EXPECT_TRUE(Schedule({5, 10}).same({5}, 0, endless));
    EXPECT_TRUE(Schedule({4, 6}).same({12, 6, 4}, 0, endless));
    EXPECT_FALSE(Schedule({4, 6}).same({2}, 0, endless));
    EXPECT_FALSE(Schedule({4}).same({8}, 0, endless));
    EXPECT_TRUE(Schedule().same({}, 0, endless));
    EXPECT_FALSE(Schedule().same({7}, 1, 6)) << "nothing is not the same as nothing yet";
    EXPECT_TRUE(Schedule({500}).same({1}, 0, 0)) << "of a single point";
    EXPECT_TRUE(Schedule({500}).same({1}, 500, 500));
    EXPECT_FALSE(Schedule({500}).same({1}, 500, 501));
    EXPECT_TRUE(Schedule({10}).same({15}, 21, 29));
    EXPECT_TRUE(Schedule({10}).same({15}, 25, 35)) << "30 is of both";
    EXPECT_FALSE(Schedule({10}).same({15}, 25, 40));
    EXPECT_FALSE(Schedule({2}).same({3}, endless - 10, endless));
}

} // namespace
} // namespace holon
