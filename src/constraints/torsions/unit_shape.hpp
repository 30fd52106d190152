#pragma once

#include <holon/constraints/torsion_units.hpp>

#include "unit_search.hpp"

namespace holon::torsions {

/// The shape of a unit: bonds have their lengths, angles are as near to theirs as they can be together. `worst`: raised
/// to the largest relative change of the distance of the ends of an angle.
TorsionUnit shaped(const UnitAtoms& unit, const Skeleton& skeleton, std::span<const IVec3> positions, const Box& box,
                   double& worst);

/// Constraints of a unit that do not depend on each other: 3 n - 6 of them, bonds first.
void add_constraints(const TorsionUnit& unit, const Skeleton& skeleton, TorsionOnly& result);

} // namespace holon::torsions
