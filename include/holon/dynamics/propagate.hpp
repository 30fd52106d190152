#pragma once

#include <holon/system/atoms.hpp>

#include <span>

namespace holon {

/// v += f / m * dt for owned atoms, each component rounded once, symmetrically: -dt undoes it bit for bit.
void kick(Atoms& atoms, std::span<const IVec3> f, double dt);
inline void kick(Atoms& atoms, double dt)
{
    kick(atoms, atoms.f, dt);
}

/// x += v * dt for owned atoms, rounded likewise.
void drift(Atoms& atoms, double dt);

/// The same, and x_ref gets the positions of all local atoms before it. Copies in x have to be updated.
void drift_from_reference(Atoms& atoms, double dt);

/// v *= the factor of its coupling group for owned atoms, rounded likewise.
void scale_velocities(Atoms& atoms, std::span<const double> of_group);

} // namespace holon
