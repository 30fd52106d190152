#include <holon/dynamics/parts.hpp>

namespace holon {

namespace {

class Frame : public Operator {
public:
    void apply(Step& step) override { step.recorder.frame(step.system, step.clock); }
};

class Checkpoint : public Operator {
public:
    explicit Checkpoint(Part meanwhile) : meanwhile_(std::move(meanwhile)) {}

    void apply(Step& step) override
    {
        {
            const auto timer = step.system.timers.measure(Stage::checkpoint);
            step.recorder.checkpoint(step.system, step.clock, meanwhile_ != nullptr);
        }
        if (!meanwhile_) return;
        meanwhile_->apply(step);
        const auto timer = step.system.timers.measure(Stage::checkpoint);
        step.recorder.release();
    }

private:
    Part meanwhile_;
};

} // namespace

Part parts::frame()
{
    return std::make_unique<Frame>();
}

Part parts::checkpoint()
{
    return std::make_unique<Checkpoint>(nullptr);
}

Part parts::checkpoint_during(Part work)
{
    return std::make_unique<Checkpoint>(std::move(work));
}

} // namespace holon
