#pragma once

#include <holon/dynamics/operator.hpp>

#include <span>
#include <string>

namespace holon {

/// What the rest of the program needs to know of a scheme.
struct SchemeTraits {
    bool minimises = false;     // steps are no time: no dt, no velocities, no coupling
    bool own_bath = false;      // the temperature groups are those of its friction: no thermostat beside it
    bool splits_forces = false; // those of the second force group may act every so many steps
    bool reversible = false;    // the same bits backwards, where the thermostat and constraints allow it
};

/// A line of the list.
struct SchemeEntry {
    std::string name; // value of `integrator`
    SchemeTraits traits;
    Scheme (*make)(const SchemeInput&);
};

/// Every scheme: src/dynamics/schemes/<name>.cpp with <name>_scheme(). To add one, add its line.
#define HOLON_SCHEMES(X)                                                                                               \
    X(md)    /* leap-frog */                                                                                           \
    X(md_vv) /* velocity Verlet */                                                                                     \
    X(sd)    /* Langevin dynamics, leap-frog with impulses */                                                          \
    X(steep) /* steepest descent */

#define HOLON_DECLARE(name) SchemeEntry name##_scheme();
HOLON_SCHEMES(HOLON_DECLARE)
#undef HOLON_DECLARE

std::span<const SchemeEntry> schemes();

/// The one of this name, which must be there.
const SchemeEntry& scheme_entry(const std::string& name);

} // namespace holon
