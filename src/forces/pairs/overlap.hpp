#pragma once

#include <holon/core/lattice.hpp>
#include <holon/system/atoms.hpp>

#include <cmath>
#include <string>

/// Pairs of atoms that overlap so much that their force is clamped at force_bound: the start of a minimisation.
namespace holon::pair {

/// For a message.
std::string same_place_text(AtomId a, AtomId b);
std::string clamped_text(AtomId a, AtomId b);

/// From b to a, which are at the same place: any way will do that is the same wherever the two are computed [nm].
Vec3 way_apart(AtomId a, AtomId b);

/// Of a force [kJ/mol/nm].
inline bool is_clamped(double force)
{
    return std::abs(force) > force_bound * force_unit;
}

/// The energy that goes with a clamped force [kJ/mol]: towards smaller distances it rises in a straight line from where
/// the force reaches the bound. `force` and `energy` are functions of the distance [nm]; at `far` nothing is clamped.
template <class Force, class Energy>
double energy_of_clamped_force(double r, double far, Force force, Energy energy)
{
    double inner = r, outer = far;
    for (;;) {
        const double middle = 0.5 * (inner + outer);
        if (middle == inner || middle == outer) break;
        (is_clamped(force(middle)) ? inner : outer) = middle;
    }
    return energy(outer) + std::copysign(force_bound * force_unit, force(inner)) * (outer - r);
}

} // namespace holon::pair
