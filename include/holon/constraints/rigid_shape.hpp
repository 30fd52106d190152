#pragma once

#include <holon/core/box.hpp>
#include <holon/system/clusters.hpp>
#include <holon/system/topology.hpp>

#include <optional>
#include <span>
#include <vector>

/// Which atoms are rigid bodies, and of what shape: see RigidBody.
namespace holon {

/// The shape of a cluster all of whose distances are constraints: the points that have them, in a plane or a line if
/// those differ from them by no more than lengths in files are rounded. None for other clusters, and if no points have
/// such distances.
std::optional<std::vector<Vec3>> shape_of_distances(const ConstraintCluster& cluster);

/// The clusters of a molecule type of which the constraints fix the shape: all distances of atoms anywhere, or enough
/// that the others follow from them. `positions`: canonical, one per atom, of any molecule of this type, near its
/// constraints; they decide between shapes that have the same constraints.
/// Throws InputError for constraints that contradict each other.
std::vector<RigidBody> rigid_clusters(const MoleculeType& molecule, std::span<const IVec3> positions, const Box& box);

/// Parts of clusters that can turn against each other: three atoms or more all of whose distances are constraints, and
/// none of which is in a body. The largest first; no atom is in two. Throws InputError for distances that no points
/// have.
std::vector<RigidBody> rigid_parts(const MoleculeType& molecule);

/// Throws InputError if bodies are linked by constraints that depend on each other where the atoms of a molecule of
/// this type are, or to frozen atoms. `positions`: canonical, one per atom.
void check_links(const MoleculeType& molecule, std::span<const IVec3> positions, const Box& box);

/// These atoms of a molecule type, two at least, ascending, as they are in `positions`; in a plane or in a line if they
/// are but for what coordinates in files are rounded by. Neighbours are less than half the box apart.
RigidBody rigid_group(std::vector<std::int32_t> atoms, std::span<const IVec3> positions, const Box& box);

/// Largest difference of a distance between two atoms of a body from what it is in its shape [nm].
double misfit(const RigidBody& body, std::span<const IVec3> positions, const Box& box);

/// Makes the atoms a body of the molecule type, and takes what constraints they have with each other to it. Throws
/// InputError for atoms that can not be in one: without mass, frozen, or in another body.
void add_body(MoleculeType& molecule, RigidBody body);

/// Throws InputError if a constraint binds a body to an atom outside.
void refuse_links(const MoleculeType& molecule);

} // namespace holon
