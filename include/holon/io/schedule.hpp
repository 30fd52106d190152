#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace holon {

/// The steps at which something is written: the multiples of one or more intervals.
class Schedule {
public:
    Schedule() = default;                                // never
    Schedule(std::initializer_list<std::int64_t> every); // an interval of 0 adds nothing

    bool empty() const { return intervals_.empty(); }
    bool due(std::int64_t step) const;
    std::int64_t most(std::int64_t steps) const; // of so many and the first one; may count some twice
    bool same(const Schedule& other, std::int64_t first, std::int64_t last) const; // steps, of these

private:
    bool covers(const Schedule& other, std::int64_t first, std::int64_t last) const;
    std::vector<std::int64_t> intervals_; // ascending; none is a multiple of another
};

} // namespace holon
