#include <holon/dynamics/thermostat.hpp>

#include <holon/core/random.hpp>

#include "thermostats/redrawing.hpp"

namespace holon {

namespace {

/// Collisions of single atoms, or constraint clusters, with a bath: at each step every one of them with probability dt
/// / tau. H. C. Andersen, J. Chem. Phys. 72, 2384 (1980).
class Collisions : public Draws {
public:
    using Draws::Draws;

    bool any_at(std::int64_t) const override { return true; }

private:
    bool is_hit(std::int64_t step, AtomId first, double tau) const override
    {
        const Philox random(parameters_.ld_seed);
        const auto block =
            random(static_cast<std::uint64_t>(step), static_cast<std::uint32_t>(first), Stream::thermostat, 0);
        return uniform_pair(block)[0] * tau < parameters_.dt;
    }
};

std::unique_ptr<Draws> draws(const SchemeInput& input)
{
    return std::make_unique<Collisions>(input);
}

Part make(const SchemeInput& input)
{
    return std::make_unique<Redrawing>(input, draws(input));
}

} // namespace

ThermostatEntry andersen_thermostat()
{
    return {.name = "andersen", .traits = {.redraw = Redraw::some}, .make = make, .draws = draws};
}

} // namespace holon
