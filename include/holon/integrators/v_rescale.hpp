#pragma once

#include <cstdint>

namespace holon {

/// The kinetic energy to which velocity rescaling takes a group in one step: the exact solution of the stochastic
/// equation over dt. G. Bussi, D. Donadio, M. Parrinello, J. Chem. Phys. 126, 014101 (2007), appendix.
/// kinetic, target: current and average kinetic energy [kJ/mol]; dof: degrees of freedom; dt, tau [ps].
/// The random numbers belong to (seed, step, group): the same on every rank.
double rescaled_kinetic_energy(double kinetic, double target, double dof, double dt, double tau, std::uint64_t seed,
                               std::int64_t step, std::uint32_t group);

} // namespace holon
