#pragma once

#include <holon/core/index.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

/// The threads of a rank. Only its first thread, which alone talks to other ranks, calls what is here; calls are not
/// nested. Sums over atoms are integers, so that no bit depends on how work is shared out.
namespace holon {

/// How many threads work for this rank: OMP_NUM_THREADS, one if it is not set.
/// Throws InputError if it is no number of threads.
int thread_count();

/// How many processors this rank may use: fewer than threads, and they wait for each other.
int processor_count();

/// CPU time [s] of the calling thread and of what other threads have done for it in parallel_parts().
double team_cpu_seconds();

namespace detail {
using PartWork = void(void* context, int part, int thread);
void run_parts(int parts, PartWork* work, void* context);
} // namespace detail

/// Calls use(part, thread) once for every part in [0, parts), several at the same time, each by the thread that comes
/// first; the caller is thread 0. Of what is thrown, the first is thrown again here.
template <class Use>
void parallel_parts(int parts, Use&& use)
{
    if (parts <= 1 || thread_count() == 1) {
        for (int part = 0; part < parts; ++part) use(part, 0);
        return;
    }
    const auto work = [](void* context, int part, int thread) {
        (*static_cast<std::remove_reference_t<Use>*>(context))(part, thread);
    };
    detail::run_parts(parts, work, const_cast<void*>(static_cast<const void*>(&use)));
}

/// [0, n) in contiguous slices, at most one for each thread: multiples of `grain`, but for the last.
class Slices {
public:
    Slices(std::size_t n, std::size_t grain) : n_(n), grain_(grain), blocks_((n + grain - 1) / grain)
    {
        const auto threads = index(thread_count());
        count_ = static_cast<int>(std::clamp<std::size_t>(blocks_, 1, threads));
    }
    int count() const { return count_; }
    std::pair<std::size_t, std::size_t> operator[](int slice) const { return {edge(slice), edge(slice + 1)}; }

private:
    std::size_t edge(int slice) const { return std::min(n_, blocks_ * index(slice) / index(count_) * grain_); }

    std::size_t n_, grain_, blocks_;
    int count_;
};

/// Calls use(begin, end) for slices that make up [0, n).
template <class Use>
void parallel_for(std::size_t n, std::size_t grain, Use&& use)
{
    const Slices slices(n, grain);
    parallel_parts(slices.count(), [&](int part, int) {
        const auto [begin, end] = slices[part];
        use(begin, end);
    });
}

/// What use(begin, end) returns for slices that make up [0, n), put together in their order by join(total, next): a sum
/// of integers, a maximum or the like, of which how they are cut changes nothing.
template <class Use, class Join>
auto parallel_reduce(std::size_t n, std::size_t grain, Use&& use, Join&& join)
{
    const Slices slices(n, grain);
    auto [begin, end] = slices[0];
    if (slices.count() == 1) return use(begin, end);
    std::vector<decltype(use(begin, end))> results(index(slices.count()));
    parallel_parts(slices.count(), [&](int part, int) {
        const auto [from, to] = slices[part];
        results[index(part)] = use(from, to);
    });
    auto total = std::move(results.front());
    for (std::size_t r = 1; r < results.size(); ++r) join(total, results[r]);
    return total;
}

} // namespace holon
