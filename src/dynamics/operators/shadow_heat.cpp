#include "operators/shadow_heat.hpp"

#include "thermostats/draws.hpp"

namespace holon {

parts::ShadowHeatParts parts::shadow_heat(const SchemeInput& input)
{
    const auto* thermostat = thermostat_entry(input.parameters.tcoupl);
    if (thermostat == nullptr) return {};
    return thermostat->draws != nullptr ? shadow_heat_of_draws(input, thermostat->draws(input))
                                        : shadow_heat_of_scaling(input);
}

} // namespace holon
