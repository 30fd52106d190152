#pragma once

#include <holon/dynamics/recorder.hpp>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace holon {

/// Several recorders as one: each is told what happens, in the order in which they were added.
class Recorders : public Recorder {
public:
    /// They must be there for as long as this object is told anything.
    void add(std::initializer_list<Recorder*> more) { all_.insert(all_.end(), more); }

    void frame(System& system, const Clock& clock) override
    {
        for (auto* one : all_) one->frame(system, clock);
    }
    bool wants_constraint_forces() const override
    {
        return std::ranges::any_of(all_, [](const auto* one) { return one->wants_constraint_forces(); });
    }
    void constraint_forces(System& system, std::span<const Vec3> forces) override
    {
        for (auto* one : all_)
            if (one->wants_constraint_forces()) one->constraint_forces(system, forces);
    }
    bool wants_energies(std::int64_t step) const override
    {
        return std::ranges::any_of(all_, [step](const auto* one) { return one->wants_energies(step); });
    }
    void measured(const Measurement& measurement) override
    {
        for (auto* one : all_) one->measured(measurement);
    }
    void checkpoint(System& system, const Clock& clock, bool lent) override
    {
        for (auto* one : all_) one->checkpoint(system, clock, lent);
    }
    void release() override
    {
        for (auto* one : all_) one->release();
    }
    void repartitioned(System& system) override
    {
        for (auto* one : all_) one->repartitioned(system);
    }
    void warn(std::int64_t count, const std::string& first) override
    {
        for (auto* one : all_) one->warn(count, first);
    }
    Votes votes() const override // the largest of each
    {
        Votes votes;
        for (const auto* one : all_)
            std::ranges::transform(votes.values, one->votes().values, votes.values.begin(),
                                   [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
        return votes;
    }
    void agreed(const Communicator& comm, const Votes& votes) override
    {
        for (auto* one : all_) one->agreed(comm, votes);
    }

private:
    std::vector<Recorder*> all_;
};

} // namespace holon
