#pragma once

#include <holon/dynamics/operator.hpp>

#include <span>
#include <string>

namespace holon {

/// Which velocities a thermostat draws anew at a time.
enum class Redraw { none, some, all };

class Draws; // whose velocities are drawn anew: src/dynamics/thermostats/draws.hpp

/// What the rest of the program needs to know of a thermostat.
struct ThermostatTraits {
    double least_steps = 0.0;     // actions in a tau-t for a proper integration; 0: exact for any number
    bool inertia = false;         // of the bath, by tau-t and ref-t: neither may be 0
    Redraw redraw = Redraw::none; // other than none: at whole steps only, with one tau-t for all groups
    std::string caution = {};     // what its users should know
};

/// A line of the list.
struct ThermostatEntry {
    std::string name; // value of `tcoupl`
    ThermostatTraits traits;
    Part (*make)(const SchemeInput&);                  // acts between steps
    Part (*before_kick)(const SchemeInput&) = nullptr; // and, if it has to, before the first kick of a step
    Part (*after_kick)(const SchemeInput&) = nullptr;  // and after that, where velocities are half a step behind
    std::unique_ptr<Draws> (*draws)(const SchemeInput&) = nullptr; // for the heat, if it redraws
};

/// Every thermostat: src/dynamics/thermostats/<name>.cpp with <name>_thermostat(). To add one, add its line.
#define HOLON_THERMOSTATS(X)                                                                                           \
    X(v_rescale)        /* stochastic velocity rescaling */                                                            \
    X(nose_hoover)      /* friction of a bath with inertia, or a chain of them */                                      \
    X(berendsen)        /* weak coupling */                                                                            \
    X(andersen)         /* collisions with a bath, now here, now there */                                              \
    X(andersen_massive) /* all velocities drawn anew from time to time */

#define HOLON_DECLARE(name) ThermostatEntry name##_thermostat();
HOLON_THERMOSTATS(HOLON_DECLARE)
#undef HOLON_DECLARE

std::span<const ThermostatEntry> thermostats();

/// The one of this name; null for `no`.
const ThermostatEntry* thermostat_entry(const std::string& name);

} // namespace holon
