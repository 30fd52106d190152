#pragma once

#include "function_types/bonded_scalar.hpp"

#include <holon/forces/distance_averages.hpp>
#include <holon/system/intermolecular.hpp>
#include <holon/system/parameters.hpp>

#include <span>

namespace holon::bonded {

/// V = 1/2 k (R - up1)^2 of a distance R that several pairs make, likewise below low, on along the tangent from up2 on.
/// With equal weighting each pair gets the same share of the force, which then is no gradient. A. E. Torda,
/// R. M. Scheek, W. F. van Gunsteren, Chem. Phys. Lett. 157 (1989) 289. With averages over time there is no potential,
/// and the energy is that of the averaged violation; `mixed`: the force goes by the geometric mean of the averaged and
/// the present violation, where both are to the same side (GROMACS manual, "Distance restraints").
void distance_restraints(const ScalarContext& context, std::span<const DistanceRestraint> restraints,
                         const Parameters& parameters, DistanceAverages& averages);

} // namespace holon::bonded
