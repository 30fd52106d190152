#include <holon/core/error.hpp>
#include <holon/core/random.hpp>
#include <holon/io/energy_file.hpp>
#include <holon/io/energy_statistics.hpp>

#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>

namespace holon {
namespace {

double normal(std::uint64_t k)
{
    return normal_pair(Philox(3)(k, 0, Stream::velocities, 0))[0];
}

TEST(SeriesStatistics, AStraightLineHasItsSlope)
{
    SeriesStatistics series;
    for (int k = 0; k <= 100; ++k) series.add(5.0 + 0.1 * k, 1e6 + 0.02 * k);
    EXPECT_EQ(series.count(), 101);
    EXPECT_NEAR(series.mean(), 1e6 + 1.0, 1e-9);
    EXPECT_NEAR(series.drift(), 0.2, 1e-9);
    EXPECT_NEAR(series.rms_fluctuation(), 0.02 * std::sqrt((101.0 * 101.0 - 1.0) / 12.0), 1e-9);
}

TEST(SeriesStatistics, FewValuesHaveNoError)
{
    SeriesStatistics series;
    EXPECT_EQ(series.drift(), 0.0);
    for (int k = 0; k < 31; ++k) series.add(k, k % 2);
    EXPECT_FALSE(series.error());
    series.add(31.0, 1.0);
    EXPECT_TRUE(series.error());
}

/// Of values that know nothing of each other: the standard deviation over the root of their number.
TEST(SeriesStatistics, ErrorOfIndependentValues)
{
    double ratio = 0.0;
    constexpr int runs = 40, n = 4096;
    for (std::uint64_t run = 0; run < runs; ++run) {
        SeriesStatistics series;
        for (std::uint64_t k = 0; k < n; ++k) series.add(static_cast<double>(k), 2.0 * normal(run * n + k));
        ratio += *series.error() / (2.0 / std::sqrt(n)) / runs;
    }
    EXPECT_GT(ratio, 1.0);
    EXPECT_LT(ratio, 1.3); // the largest of a few estimates is a little too large
}

/// x' = a x + noise: the mean's variance is (1 + a) / (1 - a) times that of independent values.
TEST(SeriesStatistics, ErrorOfCorrelatedValues)
{
    constexpr double a = 0.9;
    constexpr int runs = 40, n = 8192;
    double ratio = 0.0;
    for (std::uint64_t run = 0; run < runs; ++run) {
        SeriesStatistics series;
        double x = 0.0;
        for (std::uint64_t k = 0; k < n; ++k) {
            x = a * x + std::sqrt(1.0 - a * a) * normal(run * n + k);
            series.add(static_cast<double>(k), x);
        }
        ratio += *series.error() / std::sqrt((1.0 + a) / (1.0 - a) / n) / runs;
    }
    EXPECT_GT(ratio, 0.95);
    EXPECT_LT(ratio, 1.35);
}

TEST(EnergyStatistics, AreThoseOfAllFinishedRows)
{
    test::TemporaryFolder folder;
    const auto path = folder.file("energy.csv");
    {
        auto file = EnergyFile::create(path, {"bond", "temperature_K"});
        for (int k = 0; k < 50000; ++k) file.append(10 * k, 0.02 * k, std::array{k % 2 == 0 ? 1.0 : 3.0, 300.0 + k});
        file.finish();
    }
    std::ofstream(path, std::ios::app) << "500000,1000,7"; // a row that is being written
    const auto statistics = energy_statistics(path);
    EXPECT_EQ(statistics.rows, 50000);
    EXPECT_EQ(statistics.first_step, 0);
    EXPECT_EQ(statistics.last_step, 499990);
    EXPECT_EQ(statistics.last_time, 0.02 * 49999);
    ASSERT_EQ(statistics.columns.size(), 2u);
    EXPECT_EQ(statistics.columns[0].name, "bond");
    EXPECT_NEAR(statistics.columns[0].mean, 2.0, 1e-12);
    EXPECT_NEAR(statistics.columns[0].rms_fluctuation, 1.0, 1e-12);
    EXPECT_NEAR(statistics.find("temperature_K")->drift, 50.0, 1e-9);
    EXPECT_EQ(statistics.find("angle"), nullptr);
}

TEST(EnergyStatistics, RefusesWhatIsNoFileOfEnergies)
{
    test::TemporaryFolder folder;
    const auto path = folder.file("energy.csv");
    for (const char* text : {"", "x,y\n1,2\n", "step,time_ps,a\n1,2\n", "step,time_ps,a\n1,2,b\n"}) {
        std::ofstream(path) << text;
        EXPECT_THROW(energy_statistics(path), Failure) << text;
    }
    EXPECT_THROW(energy_statistics(folder.file("none.csv")), Failure);
}

} // namespace
} // namespace holon
