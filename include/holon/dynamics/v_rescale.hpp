#pragma once

#include <cstddef>
#include <cstdint>

namespace holon {

/// What random numbers of a step belong to: the same on every rank.
struct RandomKey {
    std::uint64_t seed = 0;
    std::int64_t step = 0;
    std::size_t group = 0;
};

/// The kinetic energy to which velocity rescaling takes a group in one step: the exact solution of the stochastic
/// equation over dt. G. Bussi, D. Donadio, M. Parrinello, J. Chem. Phys. 126, 014101 (2007), appendix.
/// kinetic, target: current and average kinetic energy [kJ/mol]; dof: degrees of freedom; dt, tau [ps].
double rescaled_kinetic_energy(double kinetic, double target, double dof, double dt, double tau, const RandomKey& key);

} // namespace holon
