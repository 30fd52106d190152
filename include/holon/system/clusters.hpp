#pragma once

#include <holon/system/topology.hpp>

#include <cstdint>
#include <iterator>
#include <vector>

namespace holon {

/// A connected component of a molecule type's constraint graph (settles apart), a rigid body, or rigid bodies that
/// constraints link to each other and to other atoms. Everything here belongs to the molecule, not to the ranks:
/// constraint order and colours are the same wherever its atoms are.
struct ConstraintCluster {
    std::vector<std::int32_t> atoms;        // molecule-local, ascending
    std::vector<Constraint> constraints;    // sorted by colour, then by (i, j)
    std::vector<std::int32_t> colour_begin; // constraints of colour c: [colour_begin[c], colour_begin[c + 1])
    std::int32_t centre = 0;                // atom with the most constraints (lowest index of equals)
    bool small = false;                     // owned whole by the rank that owns `centre`

    std::vector<PlaneConstraint> planes = {}; // of atoms in it

    /// Of a rigid body, whose constraints are but a few of its distances; see RigidBody. Empty: of none.
    std::vector<Vec3> shape = {};
    /// The bodies, each as a cluster by itself, that those of `constraints` link which are in none of them.
    std::vector<ConstraintCluster> units = {};
    std::int64_t lost = 0; // degrees of freedom that bodies and what links them have less than their atoms

    bool of_distances() const { return shape.empty() && units.empty(); } // and planes
    std::int64_t n_constraints() const { return of_distances() ? std::ssize(constraints) + std::ssize(planes) : lost; }
};

/// Constraint structure of one molecule type.
struct MoleculeClusters {
    std::vector<ConstraintCluster> clusters;
    std::vector<std::int32_t> cluster_of; // per atom; -1: unconstrained or in a settle
    std::vector<std::int32_t> group_head; // per atom: the atom whose owner owns this one too (itself, if on its own)
};

/// Clusters of at most this many constraints, all sharing one atom (X-H groups), are owned whole: no message is needed
/// to constrain them. Anything larger is cut where the domains cut it.
inline constexpr int max_small_cluster = 6;

/// So are bodies of at most one more atom, all within this distance of one of them [nm].
inline constexpr double small_body_radius = 0.2;

/// The constraint clusters of a molecule type: components of the constraint graph, each edge-coloured so that no two
/// constraints of a colour share an atom (greedy in order of (i, j), so at most 2 x degree - 1 colours); then its rigid
/// bodies, in which three distances of each atom, to those nearest of the atoms before it, stand for all. A component
/// that binds bodies has these distances, too.
MoleculeClusters find_clusters(const MoleculeType& molecule);

} // namespace holon
