#include <holon/dynamics/scheme.hpp>

#include <holon/core/error.hpp>
#include <holon/dynamics/barostat.hpp>
#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/thermostat.hpp>

#include <algorithm>

namespace holon {

std::span<const SchemeEntry> schemes()
{
#define HOLON_ENTRY(name) name##_scheme(),
    static const SchemeEntry entries[] = {HOLON_SCHEMES(HOLON_ENTRY)};
#undef HOLON_ENTRY
    return entries;
}

const SchemeEntry& scheme_entry(const std::string& name)
{
    const auto found = std::ranges::find(schemes(), name, &SchemeEntry::name);
    HOLON_ASSERT(found != schemes().end(), name);
    return *found;
}

std::span<const ThermostatEntry> thermostats()
{
#define HOLON_ENTRY(name) name##_thermostat(),
    static const ThermostatEntry entries[] = {HOLON_THERMOSTATS(HOLON_ENTRY)};
#undef HOLON_ENTRY
    return entries;
}

const ThermostatEntry* thermostat_entry(const std::string& name)
{
    if (name == "no") return nullptr;
    const auto found = std::ranges::find(thermostats(), name, &ThermostatEntry::name);
    HOLON_ASSERT(found != thermostats().end(), name);
    return &*found;
}

std::span<const BarostatEntry> barostats()
{
#define HOLON_ENTRY(name) name##_barostat(),
    static const BarostatEntry entries[] = {HOLON_BAROSTATS(HOLON_ENTRY)};
#undef HOLON_ENTRY
    return entries;
}

const BarostatEntry* barostat_entry(const std::string& name)
{
    if (name == "no") return nullptr;
    const auto found = std::ranges::find(barostats(), name, &BarostatEntry::name);
    HOLON_ASSERT(found != barostats().end(), name);
    return &*found;
}

Part parts::thermostat(const SchemeInput& input)
{
    const auto* entry = thermostat_entry(input.parameters.tcoupl);
    return entry != nullptr ? entry->make(input) : nullptr;
}

Part parts::thermostat_before_kick(const SchemeInput& input)
{
    const auto* entry = thermostat_entry(input.parameters.tcoupl);
    return entry != nullptr && entry->before_kick != nullptr ? entry->before_kick(input) : nullptr;
}

Part parts::thermostat_after_kick(const SchemeInput& input)
{
    const auto* entry = thermostat_entry(input.parameters.tcoupl);
    return entry != nullptr && entry->after_kick != nullptr ? entry->after_kick(input) : nullptr;
}

} // namespace holon
