#include <holon/dynamics/thermostat.hpp>

#include "thermostats/redrawing.hpp"

#include <cmath>

namespace holon {

namespace {

/// All velocities drawn anew every tau: see Andersen.
class AllAtOnce : public Draws {
public:
    explicit AllAtOnce(const SchemeInput& input) : Draws(input)
    {
        for (const auto& group : input.parameters.tc_groups) // all tau that there are agree
            if (group.tau > 0.0) interval_ = std::max<std::int64_t>(1, std::llround(group.tau / input.parameters.dt));
    }

    bool any_at(std::int64_t step) const override { return step % interval_ == 0; }

private:
    bool is_hit(std::int64_t, AtomId, double) const override { return true; }

    std::int64_t interval_ = 1; // steps
};

std::unique_ptr<Draws> draws(const SchemeInput& input)
{
    return std::make_unique<AllAtOnce>(input);
}

Part make(const SchemeInput& input)
{
    return std::make_unique<Redrawing>(input, draws(input));
}

} // namespace

ThermostatEntry andersen_massive_thermostat()
{
    return {.name = "andersen-massive", .traits = {.redraw = Redraw::all}, .make = make, .draws = draws};
}

} // namespace holon
