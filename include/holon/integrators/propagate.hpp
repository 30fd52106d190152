#pragma once

#include <holon/system/atoms.hpp>

namespace holon {

/// v += f / m * dt for owned atoms, each component rounded once, symmetrically: -dt undoes it bit for bit.
void kick(Atoms& atoms, double dt);

/// x += v * dt for owned atoms, rounded likewise.
void drift(Atoms& atoms, double dt);

} // namespace holon
