#pragma once

#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/thermostat.hpp>

/// Velocity Verlet conserves H + dt^2/12 v.V''.v - dt^2/24 F^2/m up to the fourth order of the step: E. Hairer, C.
/// Lubich, G. Wanner, Acta Numerica 12, 399 (2003). Where velocities change by d between two steps, H changes by the
/// kinetic energy, which is booked by whoever does it; the second term by dt^2/12 (2 v + d).V''.d, which is the heat
/// that is entered here. Without it the conserved energy wanders, and drifts. V'' is known by the forces G of the steps
/// before and after, with those of constraints: the heat is -dt/12 d.(G(n+1) - G(n-1)).
namespace holon {

/// Where each atom of some has a velocity of its own.
parts::ShadowHeatParts shadow_heat_of_draws(const SchemeInput& input, std::unique_ptr<Draws> draws);

/// Where those of a coupling group are all multiplied by the same.
parts::ShadowHeatParts shadow_heat_of_scaling(const SchemeInput& input);

/// Likewise, half a step behind the positions.
parts::ShadowHeatParts shadow_heat_of_leap_frog(const SchemeInput& input);

} // namespace holon
