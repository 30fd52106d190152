#include <holon/core/cpu_time.hpp>
#include <holon/core/parallel.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

namespace holon {
namespace {

constexpr int n_threads = 3;
const bool environment_is_set = ::setenv("OMP_NUM_THREADS", "3", 1) == 0; // before it is asked for

TEST(Parallel, AsManyThreadsAsTheEnvironmentSays)
{
    ASSERT_TRUE(environment_is_set);
    EXPECT_EQ(thread_count(), n_threads);
}

TEST(Parallel, EveryPartIsDoneOnce)
{
    for (int go = 0; go < 1000; ++go)
        for (const int parts : {0, 1, 2, 3, 4, 20}) {
            std::vector<int> times(static_cast<std::size_t>(parts)), by(times);
            parallel_parts(parts, [&](int part, int thread) {
                ++times[static_cast<std::size_t>(part)];
                by[static_cast<std::size_t>(part)] = thread;
            });
            for (const int n : times) EXPECT_EQ(n, 1);
            for (const int thread : by) EXPECT_TRUE(thread >= 0 && thread < n_threads);
        }
}

/// Each waits for the others to come.
TEST(Parallel, ThreadsWorkAtTheSameTime)
{
    std::array<std::atomic<int>, n_threads> came{};
    std::atomic<int> all = 0;
    parallel_parts(n_threads, [&](int, int thread) {
        ++came[static_cast<std::size_t>(thread)];
        ++all;
        while (all < n_threads) std::this_thread::yield();
    });
    for (const auto& times : came) EXPECT_EQ(times, 1);
}

TEST(Parallel, SlicesAreMultiplesOfTheGrainAndMakeUpTheWhole)
{
    for (const std::size_t n : {0, 1, 15, 16, 17, 32, 33, 1000, 1024})
        for (const std::size_t grain : {1, 16, 500}) {
            const Slices slices(n, grain);
            ASSERT_GE(slices.count(), 1);
            EXPECT_LE(slices.count(), n_threads);
            EXPECT_LE(static_cast<std::size_t>(slices.count() - 1) * grain, n);
            std::size_t next = 0;
            for (int s = 0; s < slices.count(); ++s) {
                const auto [begin, end] = slices[s];
                EXPECT_EQ(begin, next);
                EXPECT_EQ(begin % grain, 0U);
                next = end;
            }
            EXPECT_EQ(next, n);
        }
}

TEST(Parallel, ReducesInTheOrderOfTheSlices)
{
    const auto numbers = parallel_reduce(
        100, 1,
        [](std::size_t begin, std::size_t end) {
            std::vector<std::size_t> all;
            for (auto i = begin; i < end; ++i) all.push_back(i);
            return all;
        },
        [](std::vector<std::size_t>& total, const std::vector<std::size_t>& next) {
            total.insert(total.end(), next.begin(), next.end());
        });
    ASSERT_EQ(numbers.size(), 100U);
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
}

TEST(Parallel, ExceptionsReachTheCaller)
{
    for (int go = 0; go < 2; ++go) // and leave nothing behind
        for (int thrower = 0; thrower < 5; ++thrower)
            EXPECT_THROW(parallel_parts(5,
                                        [&](int part, int) {
                                            if (part == thrower) throw std::runtime_error("part");
                                        }),
                         std::runtime_error);
    std::atomic<int> done = 0;
    parallel_for(1000, 1, [&](std::size_t begin, std::size_t end) { done += static_cast<int>(end - begin); });
    EXPECT_EQ(done, 1000);
}

TEST(Parallel, CountsTheTimeOfAllThreads)
{
    constexpr double seconds = 0.02;
    std::atomic<int> all = 0;
    const double team = team_cpu_seconds(), own = thread_cpu_seconds();
    parallel_parts(n_threads, [&](int, int) {
        ++all;
        while (all < n_threads) std::this_thread::yield();
        const double begin = thread_cpu_seconds();
        while (thread_cpu_seconds() - begin < seconds) {
        }
    });
    const double by_others = team_cpu_seconds() - team - (thread_cpu_seconds() - own);
    EXPECT_GE(by_others, 0.99 * (n_threads - 1) * seconds);
}

} // namespace
} // namespace holon
