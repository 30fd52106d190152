#pragma once

#include "bond.hpp"
#include "lincs_shape.hpp"
#include "numbered_atoms.hpp"

#include <vector>

namespace holon {

/// The constraints of LINCS clusters as one rank sees them: those of owned atoms, and those around them on which their
/// displacements depend, in the order of the cluster.
class LincsTable {
public:
    /// `order`: of the expansion. Collective. See Solver::rebuild.
    void rebuild(const Communicator& comm, int order, std::span<const ClusterInstance> instances, const Atoms& atoms,
                 const AtomDirectory& directory);

    struct Bond {
        std::int32_t i = 0, j = 0; // numbers of its atoms; it points from i to j
        std::int32_t cluster = 0;  // index in clusters
        bool counted = false;      // here, in sums over constraints: this rank owns i
        double length = 0.0;       // [nm]
        double scale = 0.0;        // S [u^1/2]
        double inverse_mass_i = 0.0, inverse_mass_j = 0.0;
    };
    struct Coupling {
        std::int32_t bond = 0; // the other
        double factor = 0.0;   // see LincsShape::Coupling
    };

    std::vector<ClusterInstance> clusters;
    std::vector<Bond> bonds;
    std::vector<Coupling> couplings; // of bond b: [coupling_begin[b], coupling_begin[b + 1])
    std::vector<std::int32_t> coupling_begin;

    /// A bond of a triangle and its couplings within triangles, as places in `couplings`: [begin, end) of
    /// triangle_couplings.
    struct TriangleBond {
        std::int32_t bond = 0, begin = 0, end = 0;
    };
    std::vector<TriangleBond> triangle_bonds;
    std::vector<std::int32_t> triangle_couplings;

    NumberedAtoms numbered;

private:
    void add_cluster(std::int32_t cluster, const LincsShape& shape, std::span<const std::int32_t> constraints,
                     const AtomDirectory& directory);

    ShapeTable<LincsShape> shapes_;
};

} // namespace holon
