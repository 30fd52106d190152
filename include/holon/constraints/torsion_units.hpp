#pragma once

#include <holon/core/box.hpp>
#include <holon/system/topology.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// `constraints = torsion-only`: molecules of which bonds turn and nothing else moves.
namespace holon {

/// Atoms of a molecule type that keep their distances: an atom and all that is bound to it, or several such groups that
/// share three atoms or are in a ring that can not turn: any of up to five atoms, larger ones if they are flat.
struct TorsionUnit {
    std::vector<std::int32_t> atoms; // ascending
    std::vector<Vec3> shape;         // of each: where it is in the unit [nm]
    bool planar = false;             // then in the x-y plane
};

/// What keeps a molecule's units as they are: constraints that do not depend on each other, planes among them.
struct TorsionOnly {
    std::vector<TorsionUnit> units;
    std::vector<Constraint> constraints; // bonds, then others, as `from_angle`
    std::vector<PlaneConstraint> planes;
    double worst_angle = 0.0; // relative change of the distance of the ends of an angle, as units are closed figures
};

/// The units of a molecule type from its bonds (constraints that are not `from_angle`) and its angles (those that
/// are), and constraints for them. Bonds have their lengths exactly. Angles of force fields do not add up around an
/// atom or in a ring: they become the nearest that do. What no angle determines is as in `positions`: canonical, one
/// per atom, of any molecule of this type. Atoms with three bonds are flat if their angles add up to more than 345
/// degrees.
///
/// Throws InputError for what this can not be done to: bonds in a line, frozen atoms, angles that are far from adding
/// up.
TorsionOnly torsion_only(const MoleculeType& molecule, std::span<const IVec3> positions, const Box& box);

} // namespace holon
