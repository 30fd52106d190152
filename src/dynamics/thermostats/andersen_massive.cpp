#include <holon/dynamics/thermostat.hpp>

#include "thermostats/redrawing.hpp"

#include <cmath>

namespace holon {

namespace {

/// All velocities drawn anew every tau: see Andersen.
class AndersenMassive : public Redrawing {
public:
    explicit AndersenMassive(const SchemeInput& input) : Redrawing(input)
    {
        for (const auto& group : input.parameters.tc_groups) // all tau that there are agree
            if (group.tau > 0.0) interval_ = std::max<std::int64_t>(1, std::llround(group.tau / input.parameters.dt));
    }

private:
    bool now(const Clock& clock) const override { return clock.step % interval_ == 0; }
    bool hit(const Clock&, AtomId, double) const override { return true; }

    std::int64_t interval_ = 1; // steps
};

Part make(const SchemeInput& input)
{
    return std::make_unique<AndersenMassive>(input);
}

} // namespace

ThermostatEntry andersen_massive_thermostat()
{
    return {"andersen-massive", {.redraw = Redraw::all}, make};
}

} // namespace holon
