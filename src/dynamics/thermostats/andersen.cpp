#include <holon/dynamics/thermostat.hpp>

#include <holon/core/random.hpp>

#include "thermostats/redrawing.hpp"

namespace holon {

namespace {

/// Collisions of single atoms, or constraint clusters, with a bath: at each step every one of them with probability dt
/// / tau. H. C. Andersen, J. Chem. Phys. 72, 2384 (1980).
class Andersen : public Redrawing {
public:
    using Redrawing::Redrawing;

private:
    bool now(const Clock&) const override { return true; }
    bool hit(const Clock& clock, AtomId first, double tau) const override
    {
        const Philox random(parameters_.ld_seed);
        const auto block =
            random(static_cast<std::uint64_t>(clock.step), static_cast<std::uint32_t>(first), Stream::thermostat, 0);
        return uniform_pair(block)[0] * tau < clock.dt;
    }
};

Part make(const SchemeInput& input)
{
    return std::make_unique<Andersen>(input);
}

} // namespace

ThermostatEntry andersen_thermostat()
{
    return {"andersen", {.redraw = Redraw::some}, make};
}

} // namespace holon
