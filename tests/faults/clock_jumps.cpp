/// A library to be loaded before a program (LD_PRELOAD): the system's clock jumps while the program runs. What only
/// goes forward, CLOCK_MONOTONIC and its kin, is left alone, as it is when an administrator or a time server sets the
/// clock.
///
///   HOLON_CLOCK_JUMPS    seconds that the clock is ahead, a number for each half second of the program, again and
///   again
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <string>
#include <sys/time.h>
#include <vector>

namespace {

std::vector<long> jumps()
{
    std::vector<long> all;
    const char* text = std::getenv("HOLON_CLOCK_JUMPS");
    for (char* end = nullptr; text != nullptr && *text != 0; text = end) {
        all.push_back(std::strtol(text, &end, 10));
        if (end == text) break;
    }
    return all;
}

int real_gettime(clockid_t clock, timespec* time)
{
    static auto* const real = reinterpret_cast<decltype(&::clock_gettime)>(::dlsym(RTLD_NEXT, "clock_gettime"));
    return real(clock, time);
}

/// [s]
long ahead()
{
    static const auto all = jumps();
    if (all.empty()) return 0;
    timespec now{};
    real_gettime(CLOCK_MONOTONIC, &now);
    static const auto begin = now.tv_sec;
    const auto half_seconds = 2 * (now.tv_sec - begin) + now.tv_nsec / 500'000'000;
    return all[static_cast<std::size_t>(half_seconds) % all.size()];
}

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept
{
    const int result = real_gettime(clock, time);
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI) time->tv_sec += ahead();
    return result;
}

time_t time(time_t* to) noexcept
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (to != nullptr) *to = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(timeval* to, void*) noexcept
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    *to = {now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

} // extern "C"
