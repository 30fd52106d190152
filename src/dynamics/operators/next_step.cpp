#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/publish.hpp>

namespace holon {

bool publish_positions(System& system, Recorder& recorder, std::int64_t step)
{
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
    void apply(Step& step) override
    {
        auto& clock = step.clock;
        ++clock.step;
        if (!publish_positions(step.system, step.recorder, clock.step)) clock.last = clock.step;
        step.system.time = clock.time();
        clock.measured = clock.at_end() || step.recorder.wants_energies(clock.step);
    }
};

class Forces : public Operator {
public:
    void apply(Step& step) override { step.system.compute_forces(step.clock.measured); }
};

} // namespace

Part parts::next_step()
{
    return std::make_unique<NextStep>();
}

Part parts::forces()
{
    return std::make_unique<Forces>();
}

} // namespace holon
