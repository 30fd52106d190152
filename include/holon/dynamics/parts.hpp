#pragma once

#include <holon/dynamics/operator.hpp>

/// The operators that schemes are made of: each is src/dynamics/operators/<name>.cpp.
namespace holon::parts {

Part frame();                                    // the recorder gets the state
Part kinetic_energy(double weight);              // its tensor, times this, for the measurement
Part kick(double fraction, int force_group = 0); // v += f / m x fraction of dt
/// Likewise by the forces of the second group for all steps until it acts again; null, if there is no such group.
Part slow_kick(double fraction, const SchemeInput& input);
Part drift(double fraction); // x += v x fraction of dt; x_ref is where it started

/// x onto the constraints along x_ref, with what velocities take of it. The displacement stands for the constraint
/// forces of a kick by this fraction of dt.
Part constrain_positions(double kick_fraction);
Part constrain_velocities();

Part measure(const SchemeInput& input);   // energies, pressure; the run ends here at its last step
Part next_step(const SchemeInput& input); // all ranks agree on their health, and copies follow their owners
Part forces(const SchemeInput& input);    // at the present positions: those that are wanted in this step
Part checkpoint();                        // the recorder gets what the run can go on from
Part checkpoint_during(Part work);        // likewise, while this work leaves positions and velocities alone

/// What the barostat of `pcoupl` does, in every step of it: looks at the pressure, before measure(); and takes the box,
/// and the positions and velocities that drift() and constraints have led to, further, after it. Or `deform` does.
struct BoxParts {
    Part pressure, change;
};
BoxParts box(const SchemeInput& input);

/// What fields and accelerations from outside do along the way of a step: before anything moves, and once all has, but
/// for what a change of the box does to positions: the pressure has nothing of these forces. Null, if there are none.
struct OutsideParts {
    Part note_start, book_work;
};
OutsideParts outside_work(const SchemeInput& input);

Part remove_com_motion(const SchemeInput& input);      // every nstcomm steps
Part thermostat(const SchemeInput& input);             // that of `tcoupl`, every nsttcouple steps,
Part thermostat_before_kick(const SchemeInput& input); // and what of it acts within the step
Part thermostat_after_kick(const SchemeInput& input);
/// Velocities onto the constraints after the thermostat, where its groups share a constraint cluster.
Part constrain_coupled_velocities(const SchemeInput& input);
/// The heat that thermostats do not book by the kinetic energies before and after: what it takes is looked at around
/// the kicks of a step, with their constraints, and after the change of velocities. Null without a thermostat.
struct ShadowHeatParts {
    Part before_first_kick, after_first_kick, before_last_kick, after_last_kick, after_change;
};
ShadowHeatParts shadow_heat(const SchemeInput& input);
std::int64_t numbers_for_shadow_heat(const Parameters& parameters); // SchemeEntry::kept
Part friction_and_noise(const SchemeInput& input);                  // of Langevin dynamics, constrained

/// The operators in this order; those that are null, since nobody asks for them, are left out.
template <class... Parts>
Scheme sequence(Parts... parts)
{
    Scheme scheme;
    const auto add = [&scheme](Part part) {
        if (part) scheme.push_back(std::move(part));
    };
    (add(std::move(parts)), ...);
    return scheme;
}

} // namespace holon::parts
