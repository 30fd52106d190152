#pragma once

#include <holon/dynamics/operator.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace holon {

/// What the rest of the program needs to know of a scheme.
struct SchemeTraits {
    bool minimises = false;        // steps are no time: no dt, no velocities, no coupling
    bool own_bath = false;         // the temperature groups are those of its friction: no thermostat beside it
    bool half_step = false;        // velocities are half a step behind the positions
    bool momentum = true;          // it has any: there is a motion of the centre of mass to be removed
    bool couples_pressure = false; // its box may change
    bool splits_forces = false;    // those of the second force group may act every so many steps
    bool half_kicks = false;       // both stages of constraints come after a kick by half a step
    bool reversible = false;       // the same bits backwards, where the thermostat and constraints allow it
    bool takes_constraints = true;
};

/// A line of the list.
struct SchemeEntry {
    std::string name; // value of `integrator`
    SchemeTraits traits;
    Scheme (*make)(const SchemeInput&);
    std::int64_t (*kept)(const Parameters&) = nullptr; // numbers that it keeps with each atom, the last of Atoms::kept

    /// The mass that it works with in place of that of an atom, which is in a coupling group or in none [u]; null:
    /// masses are what they are.
    double (*mass)(const Parameters&, double physical, const CouplingGroup*) = nullptr;
};

/// Every scheme: src/dynamics/schemes/<name>.cpp with <name>_scheme(). To add one, add its line.
#define HOLON_SCHEMES(X)                                                                                               \
    X(md)     /* leap-frog */                                                                                          \
    X(md_vv)  /* velocity Verlet */                                                                                    \
    X(sd)     /* Langevin dynamics, leap-frog with impulses */                                                         \
    X(baoab)  /* Langevin dynamics, geodesic and symmetric */                                                          \
    X(bd)     /* Brownian dynamics */                                                                                  \
    X(steep)  /* steepest descent */                                                                                   \
    X(cg)     /* conjugate gradients */                                                                                \
    X(l_bfgs) /* quasi-Newton with limited memory */

#define HOLON_DECLARE(name) SchemeEntry name##_scheme();
HOLON_SCHEMES(HOLON_DECLARE)
#undef HOLON_DECLARE

std::span<const SchemeEntry> schemes();

/// The one of this name, which must be there.
const SchemeEntry& scheme_entry(const std::string& name);

} // namespace holon
