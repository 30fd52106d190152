#include <holon/io/schedule.hpp>

#include <algorithm>

namespace holon {

Schedule::Schedule(std::initializer_list<std::int64_t> every)
{
    std::vector<std::int64_t> sorted(every);
    std::ranges::sort(sorted);
    for (const auto interval : sorted)
        if (interval > 0 && !due(interval)) intervals_.push_back(interval);
}

bool Schedule::due(std::int64_t step) const
{
    return std::ranges::any_of(intervals_, [step](std::int64_t interval) { return step % interval == 0; });
}

std::int64_t Schedule::most(std::int64_t steps) const
{
    std::uint64_t count = 0; // at most 1/2 + 1/3 + 1/5 + ... of them
    for (const auto interval : intervals_) count += static_cast<std::uint64_t>(steps / interval + 1);
    return static_cast<std::int64_t>(std::min(count, static_cast<std::uint64_t>(steps) + 1));
}

/// True, if all steps of the other one among these are due here, too.
bool Schedule::covers(const Schedule& other, std::int64_t first, std::int64_t last) const
{
    for (const auto interval : other.intervals_) {
        if (std::ranges::any_of(intervals_, [&](std::int64_t mine) { return interval % mine == 0; })) continue;
        // It is due at few multiples in a row, as it is not a multiple itself.
        const auto before = (first - 1) / interval * interval; // the last multiple before the first step, or 0
        for (auto step = first > 0 ? before : -interval; step <= last - interval;) {
            step += interval;
            if (!due(step)) return false;
        }
    }
    return true;
}

bool Schedule::same(const Schedule& other, std::int64_t first, std::int64_t last) const
{
    return empty() == other.empty() && covers(other, first, last) && other.covers(*this, first, last);
}

} // namespace holon
