#include "operators/shadow_heat.hpp"

#include <holon/dynamics/scheme.hpp>

#include "thermostats/draws.hpp"

namespace holon {

parts::ShadowHeatParts parts::shadow_heat(const SchemeInput& input)
{
    const auto* thermostat = thermostat_entry(input.parameters.tcoupl);
    if (thermostat == nullptr) return {};
    if (thermostat->draws != nullptr) return shadow_heat_of_draws(input, thermostat->draws(input));
    if (!scheme_entry(input.parameters.integrator).traits.half_step) return shadow_heat_of_scaling(input);
    if (thermostat->before_kick != nullptr || thermostat->after_kick != nullptr) return {}; // what its bath has counts
    return shadow_heat_of_leap_frog(input);
}

} // namespace holon
