#pragma once

#include "function_types/bonded_scalar.hpp"

#include <holon/system/intermolecular.hpp>
#include <holon/system/parameters.hpp>

namespace holon::bonded {

/// V = 1/2 k (R - up1)^2 of a distance R that several pairs make, likewise below low, on along the tangent from up2 on.
/// With equal weighting each pair gets all of the force, which then is no gradient. A. E. Torda, R. M. Scheek,
/// W. F. van Gunsteren, Chem. Phys. Lett. 157 (1989) 289, without averages over time.
void distance_restraint(const ScalarContext& context, const DistanceRestraint& restraint, const Parameters& parameters);

} // namespace holon::bonded
