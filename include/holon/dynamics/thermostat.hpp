#pragma once

#include <holon/dynamics/operator.hpp>

#include <span>
#include <string>

namespace holon {

/// A line of the list.
struct ThermostatEntry {
    std::string name; // value of `tcoupl`
    Part (*make)(const SchemeInput&);
};

/// Every thermostat: src/dynamics/thermostats/<name>.cpp with <name>_thermostat(). To add one, add its line.
#define HOLON_THERMOSTATS(X) X(v_rescale) /* stochastic velocity rescaling */

#define HOLON_DECLARE(name) ThermostatEntry name##_thermostat();
HOLON_THERMOSTATS(HOLON_DECLARE)
#undef HOLON_DECLARE

std::span<const ThermostatEntry> thermostats();

/// The one of this name; null for `no`.
const ThermostatEntry* thermostat_entry(const std::string& name);

} // namespace holon
