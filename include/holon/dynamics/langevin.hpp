#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/parameters.hpp>

#include <cstdint>
#include <span>

namespace holon {

/// Friction and noise of Langevin dynamics as one impulse in the middle of the drift, exact for the velocities:
///   v' = c v + sqrt((1 - c^2) k T / m) xi,  c = exp(-dt / tau),  x' = x + dt/2 (v' - v),
/// where x has moved by dt v already. N. Goga, A. J. Rzepiela, A. H. de Vries, S. J. Marrink, H. J. C. Berendsen,
/// J. Chem. Theory Comput. 8, 3637 (2012), the impulsive scheme.
/// The noise of an atom belongs to (seed, step, id), and is taken with this sign. dt [ps]. Groups with tau <= 0 have
/// neither friction nor noise.
void add_friction_and_noise(Atoms& atoms, std::span<const CouplingGroup> groups, double dt, std::uint64_t seed,
                            std::int64_t step, double sign = 1.0);

/// The same for the velocities alone: v' = c v + sqrt((1 - c^2) k T / m) xi.
void mix_velocities(Atoms& atoms, std::span<const CouplingGroup> groups, double dt, std::uint64_t seed,
                    std::int64_t step);

/// Velocities of Brownian dynamics over a step, with masses of half the friction times dt: v = dt f / (2 m) +
/// sqrt(k T / m) xi.
void set_brownian_velocities(Atoms& atoms, std::span<const CouplingGroup> groups, double dt, std::uint64_t seed,
                             std::int64_t step);

/// 1/2 sum m v^2 of this rank's atoms [kJ/mol], to be summed over ranks.
FixedSum local_kinetic_energy(const Atoms& atoms);

/// What `act` adds to the kinetic energy of all atoms [kJ/mol]: the same bits on any ranks. Collective.
template <class Act>
double kinetic_energy_gained(const Atoms& atoms, const Communicator& comm, Act act)
{
    const auto before = local_kinetic_energy(atoms);
    act();
    auto gained = FixedSum::from_raw(local_kinetic_energy(atoms).raw() - before.raw());
    comm.sum(std::span(&gained, 1));
    return gained.value();
}

} // namespace holon
