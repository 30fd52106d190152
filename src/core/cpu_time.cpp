#include <holon/core/cpu_time.hpp>

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

double thread_cpu_seconds()
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double process_cpu_seconds()
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

} // namespace holon
