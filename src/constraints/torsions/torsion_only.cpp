#include <holon/constraints/torsion_units.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include "bonds/bond.hpp"
#include "unit_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

/// Angles wider than that are taken for straight; distances of the ends of angles may change by this part.
constexpr double straight = -0.9990, largest_change = 0.1;

const char* const way_out = "Use constraints = all-bonds, or h-angles, for this system";

void check(const MoleculeType& molecule, const torsions::Skeleton& skeleton)
{
    for (std::size_t a = 0; a < molecule.atoms.size(); ++a) {
        const auto& ends = skeleton.bound[a];
        if (!ends.empty() && molecule.atoms[a].frozen)
            throw InputError(fmt::format("Molecule type {}: atom {} is frozen, and constraints = torsion-only needs "
                                         "molecules that are not. {}.",
                                         molecule.name, a + 1, way_out));
        for (std::size_t n = 0; n < ends.size(); ++n)
            for (std::size_t m = 0; m < n; ++m)
                if (skeleton.cosine(ends[n], static_cast<std::int32_t>(a), ends[m]) < straight) {
                    const std::array<std::int32_t, 3> line{ends[m], static_cast<std::int32_t>(a), ends[n]};
                    throw InputError(fmt::format("Molecule type {}: atoms {} are in a line, about which constraints = "
                                                 "torsion-only knows no torsion. {}.",
                                                 molecule.name, atom_list(molecule, line), way_out));
                }
    }
}

} // namespace

TorsionOnly torsion_only(const MoleculeType& molecule, std::span<const IVec3> positions, const Box& box)
{
    HOLON_ASSERT(positions.size() == molecule.atoms.size(), molecule.name);
    const torsions::Skeleton skeleton(molecule);
    check(molecule, skeleton);
    TorsionOnly result;
    std::ranges::copy_if(molecule.constraints, std::back_inserter(result.constraints),
                         [](const Constraint& c) { return !c.from_angle; });
    for (const auto& atoms : torsions::find_units(skeleton)) {
        double worst = 0.0;
        const auto unit = torsions::shaped(atoms, skeleton, positions, box, worst);
        if (!(worst < largest_change))
            throw InputError(fmt::format("Molecule type {}: the angles of atoms {} do not add up: one end of an angle "
                                         "would be {:.0f} % off. Correct the angles, or start from coordinates that "
                                         "are nearer to them. {}.",
                                         molecule.name, atom_list(molecule, unit.atoms), 100.0 * worst, way_out));
        result.worst_angle = std::max(result.worst_angle, worst);
        torsions::add_constraints(unit, skeleton, result);
        result.units.push_back(unit);
    }
    return result;
}

} // namespace holon
