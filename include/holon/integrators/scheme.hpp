#pragma once

#include <holon/system/parameters.hpp>

namespace holon {

/// What distinguishes the integrators that share the time step of Simulation::run:
///   first kick, drift, constrain positions, friction and noise, constrain positions, forces, second kick, constrain
///   velocities.
struct Scheme {
    const char* name; // value of `integrator`
    IntegratorKind kind;
    double first_kick;       // fraction of dt with the forces at the start of the step
    double second_kick;      // fraction of dt with the forces at its end
    bool thermostat_first;   // velocities are scaled before the first kick, else after the second
    bool half_step_kinetic;  // velocities lead the positions by -dt/2: kinetic energies are averages of two half steps
    double constraint_force; // constraint force = m x displacement x this / dt^2
    bool friction;           // friction and noise, in the middle of the drift
};

/// Leap-frog: Hockney, Methods Comput. Phys. 9, 136 (1970). Velocity Verlet: Swope et al., J. Chem. Phys. 76, 637
/// (1982), with RATTLE's velocity stage: Andersen, J. Comput. Phys. 52, 24 (1983). Langevin dynamics: Goga et al., J.
/// Chem. Theory Comput. 8, 3637 (2012).
inline constexpr Scheme schemes[] = {
    {"md", IntegratorKind::md, 1.0, 0.0, true, true, 1.0, false},
    {"md-vv", IntegratorKind::md_vv, 0.5, 0.5, false, false, 2.0, false},
    {"sd", IntegratorKind::sd, 1.0, 0.0, true, true, 1.0, true},
};

const Scheme& scheme_of(IntegratorKind kind);

} // namespace holon
