#include "progress.hpp"

#include <array>
#include <fmt/format.h>

namespace holon {

namespace {

double share_of(const Progress& p)
{
    return static_cast<double>(p.step - p.first) / static_cast<double>(p.last - p.first);
}

} // namespace

std::string duration_text(double seconds)
{
    constexpr std::int64_t day = 86400;
    if (!(seconds < 1e9 * day)) return "for ever";
    const auto s = static_cast<std::int64_t>(seconds);
    const auto days = s / day;
    return fmt::format("{}{}:{:02}:{:02}", days > 0 ? fmt::format("{} day{} ", days, days > 1 ? "s" : "") : "",
                       s % day / 3600, s / 60 % 60, s % 60);
}

std::string text_of(const Progress& p, std::time_t now)
{
    if (p.last == Progress::no_end) return fmt::format("step {} (no end) after {}", p.step, duration_text(p.seconds));
    auto text = fmt::format("step {} of {}", p.step, p.last);
    if (p.step <= p.first || p.last <= p.first) return text;
    const double share = share_of(p), left = p.seconds * (1.0 / share - 1.0);
    text += fmt::format(" ({:.1f} %) after {}, {} left", 100.0 * share, duration_text(p.seconds), duration_text(left));
    constexpr double year = 3.2e7; // nobody plans further
    if (std::tm local{}; left < year) {
        const auto end = now + static_cast<std::time_t>(left);
        std::array<char, 32> date{};
        if (localtime_r(&end, &local) != nullptr && std::strftime(date.data(), date.size(), "%F %R", &local) > 0)
            text += fmt::format(", until {}", date.data());
    }
    return text;
}

bool ProgressSchedule::due(const Progress& p)
{
    constexpr double soonest = 60.0, latest = 600.0;
    const double quiet = p.seconds - written_at_;
    if (quiet < soonest) return false;
    std::int64_t passed = 0;
    if (p.last > p.first) {
        const auto percent = static_cast<std::int64_t>(100.0 * share_of(p));
        passed = percent < 5 ? (percent >= 1 ? 1 : 0) : percent / 5 * 5;
    }
    if (passed <= percentage_ && quiet < latest) return false;
    percentage_ = passed;
    written_at_ = p.seconds;
    return true;
}

} // namespace holon
