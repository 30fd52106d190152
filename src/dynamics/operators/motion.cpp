#include <holon/core/index.hpp>
#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/propagate.hpp>

#include "operators/every.hpp"

namespace holon {

namespace {

class Kick : public Operator {
public:
    Kick(double fraction, int group) : fraction_(fraction), group_(group) {}

    void apply(Step& step) override
    {
        const auto timer = step.system.timers.measure(Stage::integrate);
        auto& atoms = step.system.atoms;
        const auto& forces = group_ == 0 ? atoms.f : atoms.f_further[index(group_ - 1)];
        kick(atoms, forces, fraction_ * step.clock.dt);
        step.system.hold_frozen();
    }

private:
    double fraction_;
    int group_;
};

class Drift : public Operator {
public:
    explicit Drift(double fraction) : fraction_(fraction) {}

    void apply(Step& step) override
    {
        const auto timer = step.system.timers.measure(Stage::integrate);
        drift_from_reference(step.system.atoms, fraction_ * step.clock.dt);
    }

private:
    double fraction_;
};

} // namespace

Part parts::kick(double fraction, int force_group)
{
    return std::make_unique<Kick>(fraction, force_group);
}

Part parts::slow_kick(double fraction, const SchemeInput& input)
{
    const auto& p = input.parameters;
    if (!p.mts()) return nullptr;
    return std::make_unique<Every>(p.mts_factor, kick(fraction * static_cast<double>(p.mts_factor), 1));
}

Part parts::drift(double fraction)
{
    return std::make_unique<Drift>(fraction);
}

} // namespace holon
