#include <holon/core/parallel.hpp>

#include <holon/core/cpu_time.hpp>
#include <holon/core/error.hpp>
#include <holon/core/signals_blocked.hpp>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <sched.h>
#include <string_view>
#include <thread>

namespace holon {

namespace {

constexpr int most_threads = 1024;

/// The first of the numbers of OMP_NUM_THREADS, which has more for nested levels.
int requested_threads()
{
    const char* const value = std::getenv("OMP_NUM_THREADS");
    if (value == nullptr || *value == 0) return 1;
    std::string_view text(value);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    int n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    const bool ends = end == text.data() + text.size() || *end == ',' || *end == ' ';
    if (error == std::errc{} && ends && n >= 1 && n <= most_threads) return n;
    throw InputError(fmt::format("The environment has OMP_NUM_THREADS={}, which is not a number of threads from 1 to "
                                 "{}. Give the threads of each rank, such as OMP_NUM_THREADS=2, or unset it for one.",
                                 value, most_threads));
}

void relax()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/// The rank's first thread and its helpers. Any of them takes any part that is left, so that none is waited for that
/// has not begun: a helper whose processor is busy with something else holds up nobody. Helpers look for work for some
/// 50 microseconds, which is longer than most gaps between calls, and then sleep. (The runtime of OpenMP waits for
/// helpers and looks for work a hundred times longer, which takes the time of others on a crowded machine.)
class Team {
public:
    explicit Team(int size) : spins_(processor_count() < size ? 0 : 1000)
    {
        const SignalsBlocked blocked;
        for (int thread = 1; thread < size; ++thread) helpers_.emplace_back([this, thread] { help(thread); });
    }
    ~Team()
    {
        end_ = true;
        open_ += one_call;
        open_.notify_all();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return static_cast<int>(helpers_.size()) + 1; }
    double helpers_seconds() const { return helpers_seconds_; }

    void run(std::uint32_t parts, detail::PartWork* work, void* context)
    {
        HOLON_ASSERT(!at_work_, "nested");
        at_work_ = true;
        call_ = {parts, work, context, nullptr};
        done_ = 0;
        open_ = (open_ & ~left_mask) + one_call + parts;
        open_.notify_all();
        work_off(0);
        wait(done_, [parts](std::uint32_t done) { return done == parts; });
        at_work_ = false;
        if (call_.error) std::rethrow_exception(std::exchange(call_.error, nullptr));
    }

private:
    struct Call {
        std::uint32_t parts = 0;
        detail::PartWork* work = nullptr;
        void* context = nullptr;
        std::exception_ptr error;
    };
    static constexpr std::uint64_t left_mask = 0xffffffff, one_call = left_mask + 1;

    /// Waits until found(value) for the value of `number`.
    template <class T, class Found>
    void wait(const std::atomic<T>& number, Found found) const
    {
        for (int spin = 0; spin < spins_; ++spin) {
            if (found(number.load())) return;
            relax();
        }
        for (;;) {
            const T now = number.load();
            if (found(now)) return;
            number.wait(now);
        }
    }

    void help(int thread)
    {
        std::uint64_t seen = 0; // calls
        while (!end_) {
            work_off(thread);
            wait(open_, [&seen](std::uint64_t open) { return (open & left_mask) != 0 || open / one_call != seen; });
            seen = open_ / one_call;
        }
    }

    /// Does parts as long as some are left. The call can not end, and the next not begin, while a part is being done.
    void work_off(int thread)
    {
        for (auto open = open_.load(); (open & left_mask) != 0;) {
            if (!open_.compare_exchange_weak(open, open - 1)) continue;
            const double begin = thread > 0 ? thread_cpu_seconds() : 0.0;
            try {
                call_.work(call_.context, static_cast<int>(call_.parts - (open & left_mask)), thread);
            } catch (...) {
                const std::lock_guard lock(error_mutex_);
                if (!call_.error) call_.error = std::current_exception();
            }
            if (thread > 0) helpers_seconds_ += thread_cpu_seconds() - begin;
            const auto parts = call_.parts;
            if (++done_ == parts && thread > 0) done_.notify_one();
            open = open_.load();
        }
    }

    const int spins_;
    bool at_work_ = false;
    Call call_;
    std::mutex error_mutex_;
    std::atomic<std::uint64_t> open_ = 0; // calls so far; low half: parts that nobody has taken
    std::atomic<std::uint32_t> done_ = 0; // parts
    std::atomic<double> helpers_seconds_ = 0.0;
    std::atomic<bool> end_ = false;
    std::vector<std::jthread> helpers_; // last: end first
};

Team& team()
{
    static Team all(requested_threads());
    return all;
}

} // namespace

int thread_count()
{
    static const int n = team().size();
    return n;
}

int processor_count()
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                       : static_cast<int>(std::thread::hardware_concurrency());
}

double team_cpu_seconds()
{
    return thread_cpu_seconds() + team().helpers_seconds();
}

void detail::run_parts(int parts, PartWork* work, void* context)
{
    team().run(static_cast<std::uint32_t>(parts), work, context);
}

} // namespace holon
