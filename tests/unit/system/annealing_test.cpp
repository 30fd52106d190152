#include <holon/system/parameters.hpp>

#include <gtest/gtest.h>

namespace holon {
namespace {

CouplingGroup group(bool periodic)
{
    return {{}, 0.1, 300.0, {periodic, {0.0, 10.0, 10.0, 20.0}, {100.0, 200.0, 50.0, 150.0}}};
}

TEST(Annealing, IsLinearBetweenPointsAndJumpsWhereTwoAreAtOneTime)
{
    for (const bool periodic : {false, true}) {
        const auto g = group(periodic);
        EXPECT_EQ(g.temperature_at(0.0), 100.0);
        EXPECT_EQ(g.temperature_at(2.5), 125.0);
        EXPECT_EQ(g.temperature_at(10.0), 50.0);
        EXPECT_EQ(g.temperature_at(15.0), 100.0);
    }
}

TEST(Annealing, StaysAtItsLastTemperatureOrBeginsAgain)
{
    EXPECT_EQ(group(false).temperature_at(20.0), 150.0);
    EXPECT_EQ(group(false).temperature_at(1e6), 150.0);
    EXPECT_EQ(group(false).temperature_at(-5.0), 100.0);
    EXPECT_EQ(group(true).temperature_at(20.0), 100.0);
    EXPECT_EQ(group(true).temperature_at(42.5), 125.0);
    EXPECT_EQ(group(true).temperature_at(-5.0), 100.0); // 15 ps after the beginning of a period
}

TEST(Annealing, WithoutPointsTheReferenceTemperatureStays)
{
    const CouplingGroup g{{}, 0.1, 300.0};
    EXPECT_EQ(g.temperature_at(0.0), 300.0);
    EXPECT_EQ(g.temperature_at(1e9), 300.0);
}

} // namespace
} // namespace holon
