#include <holon/core/cpu_time.hpp>

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

/// Asking is a call into the kernel; where one stage ends and the next begins, they share an answer.
double thread_cpu_seconds()
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds at_once(1);
    thread_local Clock::time_point asked_at{};
    thread_local double answer = 0.0;
    if (const auto now = Clock::now(); now - asked_at > at_once) {
        answer = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        asked_at = now;
    }
    return answer;
}

double process_cpu_seconds()
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

} // namespace holon
