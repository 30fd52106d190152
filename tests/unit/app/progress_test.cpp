#include "outputs/progress.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace holon {
namespace {

/// Percentages at which a run of so many seconds writes lines, a step each tenth of a second.
std::vector<std::int64_t> lines_of(double seconds, std::int64_t last_percent = 100)
{
    ProgressSchedule schedule;
    std::vector<std::int64_t> lines;
    const auto steps = static_cast<std::int64_t>(10.0 * seconds);
    for (std::int64_t k = 0; k <= steps * last_percent / 100; ++k)
        if (schedule.due({.step = 100 + k, .first = 100, .last = 100 + steps, .seconds = 0.1 * static_cast<double>(k)}))
            lines.push_back(100 * k / steps);
    return lines;
}

TEST(Progress, LinesComeAtOnePerCentAndThenEachFive)
{
    std::vector<std::int64_t> expected = {1};
    for (std::int64_t percent = 5; percent <= 100; percent += 5) expected.push_back(percent);
    EXPECT_EQ(lines_of(10000.0), expected); // 100 s a per cent
}

TEST(Progress, AMinuteApartAtTheSoonest)
{
    EXPECT_EQ(lines_of(59.0), std::vector<std::int64_t>{});
    EXPECT_EQ(lines_of(150.0), (std::vector<std::int64_t>{40, 80}));
}

TEST(Progress, TenMinutesApartAtTheLatest)
{
    EXPECT_EQ(lines_of(1e6, 1).size(), 17u); // sixteen in 10000 s, and that of one per cent
    ProgressSchedule schedule;
    EXPECT_FALSE(schedule.due({.step = 5, .first = 0, .seconds = 599.0})); // no end
    EXPECT_TRUE(schedule.due({.step = 6, .first = 0, .seconds = 600.0}));
    EXPECT_FALSE(schedule.due({.step = 7, .first = 0, .seconds = 601.0}));
}

TEST(Progress, SaysWhatIsLeftAndUntilWhen)
{
    ::setenv("TZ", "UTC", 1);
    EXPECT_EQ(text_of({.step = 350, .first = 100, .last = 1100, .seconds = 30.0}, 1777645800),
              "step 350 of 1100 (25.0 %) after 0:00:30, 0:01:30 left, until 2026-05-01 14:31");
    EXPECT_EQ(text_of({.step = 7, .first = 0, .seconds = 3661.0}, 0), "step 7 (no end) after 1:01:01");
    EXPECT_EQ(text_of({.step = 0, .first = 0, .last = 0, .seconds = 1.0}, 0), "step 0 of 0");
    EXPECT_EQ(duration_text(2.0 * 86400.0 + 3723.9), "2 days 1:02:03");
    EXPECT_EQ(duration_text(1e300), "for ever");
}

} // namespace
} // namespace holon
