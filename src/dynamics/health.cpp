#include <holon/dynamics/health.hpp>

#include <holon/core/error.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace holon {

void Health::note(const std::string& failure)
{
    if (failure_.empty()) failure_ = failure;
}

void Health::note(const ConstraintResult& result)
{
    note(result.failure);
    if (n_warnings_ == 0) warning_ = result.warning;
    n_warnings_ += result.warnings;
}

void Health::warn(const std::string& warning)
{
    if (warning.empty()) return;
    if (n_warnings_ == 0) warning_ = warning;
    ++n_warnings_;
}

void Health::note_overlap(const std::string& overlap)
{
    if (!overlaps_allowed_)
        note(overlap);
    else if (overlap_.empty())
        overlap_ = overlap;
}

/// The text of the first rank that has one. Collective.
std::string Health::first_text(std::string text) const
{
    const auto first = -comm_.max(text.empty() ? -std::int64_t{comm_.size()} : -std::int64_t{comm_.rank()});
    if (first < comm_.size()) comm_.broadcast(text, static_cast<int>(first));
    return text;
}

std::pair<std::int64_t, std::string> Health::take_warnings()
{
    return {comm_.sum(std::exchange(n_warnings_, 0)), first_text(std::exchange(warning_, {}))};
}

std::string Health::take_failure()
{
    return first_text(std::exchange(failure_, {}));
}

std::string Health::take_overlap()
{
    return first_text(std::exchange(overlap_, {}));
}

void Health::fail_together(std::int64_t step, const std::string& otherwise) const
{
    std::string text = first_text(failure_.empty() ? otherwise : failure_);
    while (!text.empty() && text.back() == '.') text.pop_back();
    const char* const advice =
        overlaps_allowed_
            ? "Check the starting structure and the topology, or minimise without constraints first (constraints "
              "= none, and define = -DFLEXIBLE for water)"
            : "Check the starting structure (minimise it with integrator = steep), the time step and the topology";
    throw Failure(fmt::format("Step {}: {}. {}.", step, text, advice));
}

void ConstraintErrors::note(const ConstraintResult& result, std::int64_t& largest)
{
    largest = std::max(largest, result.residual);
    iterations_ = std::max(iterations_, result.iterations);
}

} // namespace holon
