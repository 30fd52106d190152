#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace holon {

/// How far a start of the program has come.
struct Progress {
    static constexpr std::int64_t no_end = -1;

    std::int64_t step = 0, first = 0, last = no_end; // the present one, that of the start, that of the end
    double seconds = 0.0;                            // since the first
};

/// 12 s as 0:00:12, days before hours as 3 days 0:00:12.
std::string duration_text(double seconds);

/// `step 500 of 10000 (5.0 %) after 0:00:12, 0:03:48 left, until 2026-05-01 14:30`; `now` is the time of day.
std::string text_of(const Progress& progress, std::time_t now);

/// When a log that nobody watches gets a line: at one per cent of the steps, at each further five, but a minute after
/// the line before at the soonest, and ten minutes after it at the latest.
class ProgressSchedule {
public:
    bool due(const Progress& progress);

private:
    double written_at_ = 0.0;     // s
    std::int64_t percentage_ = 0; // whose line is written or was passed: 0, 1, 5, 10, ...
};

} // namespace holon
