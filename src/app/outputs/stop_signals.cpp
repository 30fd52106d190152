#include "stop_signals.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace holon {

namespace {

constexpr std::int64_t one_request = 1'000'000'000; // ns: what comes within this after the first is one request

std::atomic<std::int64_t> asked_at = 0; // ns, 0: not asked
std::int64_t started_at = 0;            // ns
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "for use in a signal handler");

std::int64_t now()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

extern "C" void request_stop(int signal)
{
    std::int64_t before = 0;
    if (asked_at.compare_exchange_strong(before, now()) || now() - before < one_request) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal); // takes effect when this handler returns
}

#if defined(__ELF__)
/// Before the constructors of any library, those of MPI among them, which take most of the time until main(): a request
/// that comes meanwhile would end the program. What comes while libraries are still being loaded does.
[[gnu::section(".preinit_array"), gnu::used]] void (*const listen_early)() = listen_for_signals;
#endif

} // namespace

void listen_for_signals()
{
    if (started_at == 0) started_at = now();
    struct sigaction action {};
    action.sa_handler = request_stop;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) sigaction(signal, &action, nullptr);
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of write()
}

bool stop_requested()
{
    return asked_at != 0;
}

double seconds_since_start()
{
    return 1e-9 * static_cast<double>(now() - started_at);
}

} // namespace holon
