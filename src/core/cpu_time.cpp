#include <holon/core/cpu_time.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace holon {

namespace {

double seconds_of(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

/// Asking is a call into the kernel. For a while after an answer the thread is taken to be running; if it was not, the
/// next answer is awaited, so that time never goes back and no sum is off by more than that while.
double thread_cpu_seconds()
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds a_while(1);
    thread_local Clock::time_point asked_at{};
    thread_local double answer = 0.0, latest = 0.0;
    const auto now = Clock::now();
    if (now - asked_at > a_while) {
        answer = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        asked_at = now;
    }
    latest = std::max(latest, answer + std::chrono::duration<double>(now - asked_at).count());
    return latest;
}

double process_cpu_seconds()
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

} // namespace holon
