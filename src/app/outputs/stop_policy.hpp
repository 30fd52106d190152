#pragma once

#include "stop_signals.hpp"

#include <holon/dynamics/recorder.hpp>

namespace holon {

/// When a run ends early: a signal, or `maxh` is nearly over.
class StopPolicy : public Recorder {
public:
    explicit StopPolicy(double max_hours) : max_hours_(max_hours) {} // 0 or less: as long as it takes

    Votes votes() const override
    {
        constexpr double share = 0.99; // of the time; the rest is for the files of the end
        const bool out_of_time = max_hours_ > 0.0 && seconds_since_start() > share * 3600.0 * max_hours_;
        Votes votes;
        votes[Vote::stop] = stop_requested() || out_of_time ? 1 : 0;
        return votes;
    }
    void agreed(const Communicator&, const Votes& votes) override
    {
        if (votes.yes(Vote::stop)) stopping_ = true;
    }
    bool stopping() const { return stopping_; } // all ranks know

private:
    double max_hours_;
    bool stopping_ = false;
};

} // namespace holon
