#include <holon/dynamics/barostat.hpp>
#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/publish.hpp>

namespace holon {

bool publish_positions(System& system, Recorder& recorder, std::int64_t step)
{
    system.place_sites();
    const auto votes = system.vote(recorder.votes());
    if (votes.yes(Vote::failed)) system.fail_together(step);
    recorder.agreed(system.comm(), votes);
    if (votes.yes(Vote::warned)) {
        const auto [count, first] = system.health.take_warnings();
        recorder.warn(count, first);
    }
    if (system.stale(votes)) {
        system.repartition();
        recorder.repartitioned(system);
    } else {
        system.start_halo_update();
    }
    return !votes.yes(Vote::stop);
}

namespace {

class NextStep : public Operator {
public:
    explicit NextStep(const Parameters& parameters)
    {
        const auto* entry = barostat_entry(parameters.pcoupl);
        if (entry == nullptr) return;
        nstpcouple_ = parameters.nstpcouple;
        looks_back_ = entry->traits.looks_back;
    }

    void apply(Step& step) override
    {
        auto& clock = step.clock;
        ++clock.step;
        if (!publish_positions(step.system, step.recorder, clock.step)) clock.last = clock.step;
        step.system.advance(clock.time());
        clock.measured = clock.at_end() || step.recorder.wants_energies(clock.step);
        clock.totals = clock.measured || wanted_by_barostat(clock.step);
    }

private:
    /// When it acts, and in the step after that, if it wants to see what it has done.
    bool wanted_by_barostat(std::int64_t step) const
    {
        return nstpcouple_ > 0 && (step % nstpcouple_ == 0 || (looks_back_ && (step - 1) % nstpcouple_ == 0));
    }

    std::int64_t nstpcouple_ = 0; // there is none
    bool looks_back_ = false;
};

class Forces : public Operator {
public:
    explicit Forces(std::int64_t mts_factor) : mts_factor_(mts_factor) {}

    void apply(Step& step) override
    {
        const bool all = step.clock.totals || step.clock.step % mts_factor_ == 0;
        step.system.compute_forces(step.clock.totals, all ? all_force_groups : ForceGroups{1}, step.clock.measured);
    }

private:
    std::int64_t mts_factor_;
};

} // namespace

Part parts::next_step(const SchemeInput& input)
{
    return std::make_unique<NextStep>(input.parameters);
}

Part parts::forces(const SchemeInput& input)
{
    return std::make_unique<Forces>(input.parameters.mts_factor);
}

} // namespace holon
