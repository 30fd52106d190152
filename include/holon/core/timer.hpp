#pragma once

#include <holon/core/index.hpp>
#include <holon/core/parallel.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace holon {

/// The stages of a step whose time is reported: X(identifier, key in summary.json).
#define HOLON_STAGES(X)                                                                                                \
    X(pair, "pair")                                                                                                    \
    X(bonded, "bonded")                                                                                                \
    X(mesh, "mesh")                                                                                                    \
    X(halo, "halo")                                                                                                    \
    X(constraints, "constraints")                                                                                      \
    X(integrate, "integrate")                                                                                          \
    X(pair_list, "pair-list")                                                                                          \
    X(repartition, "repartition")                                                                                      \
    X(checkpoint, "checkpoint")                                                                                        \
    X(output, "output")

enum class Stage {
#define X(name, key) name,
    HOLON_STAGES(X)
#undef X
        count
};

inline constexpr std::size_t stage_count = index(Stage::count);

inline constexpr std::array<std::string_view, stage_count> stage_keys = {
#define X(name, key) key,
    HOLON_STAGES(X)
#undef X
};

/// Seconds spent in each stage on this rank: wall time, and CPU time of its threads.
class Timers {
public:
    using Clock = std::chrono::steady_clock;

    /// Counts the time until it goes out of scope.
    class Scope {
    public:
        Scope(Timers& timers, Stage stage)
            : timers_(timers), stage_(stage), begin_(Clock::now()), cpu_begin_(team_cpu_seconds())
        {
        }
        ~Scope()
        {
            const auto k = index(stage_);
            timers_.seconds_[k] += seconds_since(begin_);
            timers_.cpu_seconds_[k] += team_cpu_seconds() - cpu_begin_;
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Timers& timers_;
        Stage stage_;
        Clock::time_point begin_;
        double cpu_begin_;
    };

    Scope measure(Stage stage) { return Scope(*this, stage); }
    const std::array<double, stage_count>& seconds() const { return seconds_; }
    const std::array<double, stage_count>& cpu_seconds() const { return cpu_seconds_; }

    static double seconds_since(Clock::time_point begin)
    {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }

private:
    std::array<double, stage_count> seconds_{}, cpu_seconds_{};
};

} // namespace holon
