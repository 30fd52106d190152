#pragma once

#include <holon/core/index.hpp>

#include "bonds/bond_vectors.hpp"
#include "cut_clusters/numbered_atoms.hpp"
#include "lincs_kernel.hpp"
#include "lincs_shape.hpp"

#include <algorithm>
#include <vector>

namespace holon {

/// The constraints of LINCS clusters as one rank sees them: those of owned atoms, and those around them on which their
/// displacements depend: by shell (LincsReach), in each by number of couplings, so that blocks of rows are full, and
/// then in the order of the cluster. Those at an atom whose displacement counts are in the same order on every rank.
class LincsTable {
public:
    /// `order`: of the expansion. Collective. See Solver::rebuild.
    void rebuild(const Communicator& comm, int order, std::span<const ClusterInstance> instances, const Atoms& atoms,
                 const AtomDirectory& directory);

    struct Bond {
        std::int32_t cluster = 0;    // index in clusters
        std::int32_t constraint = 0; // index in the cluster
        std::int32_t shell = 0;
        bool counted = false; // here, in sums over constraints: this rank owns its first atom
    };

    /// Of arrays for the kernels.
    std::size_t n_places() const { return places_for(bonds.size()); }
    /// Places of the blocks of eight that hold the bonds of shells 0 to `shell`.
    std::size_t n_within(int shell) const
    {
        const auto end = std::ranges::upper_bound(bonds, shell, {}, &Bond::shell);
        return (index(end - bonds.begin()) + lanes - 1) / lanes * lanes;
    }

    std::vector<ClusterInstance> clusters;
    std::vector<Bond> bonds;
    // Per place; empty ones are of atom 0 twice, and zero.
    std::vector<std::int32_t> i, j;                     // numbers of a bond's atoms; it points from i to j
    std::vector<std::int32_t> local_i, local_j;         // index in Atoms
    std::vector<double> length, scale;                  // [nm]; S [u^1/2]
    std::vector<double> inverse_mass_i, inverse_mass_j; // [1/u]
    std::vector<double> d2, per_d2;                     // of counted bonds: squared length and its inverse

    /// See lincs::Matrix.
    struct Matrix {
        std::vector<std::int64_t> begin;
        std::vector<std::int32_t> column;
        std::vector<double> value;
    };
    Matrix factors; // of couplings, see LincsShape::Coupling

    /// A bond of a triangle and its couplings within triangles, as entries of `factors`: [begin, end) of
    /// triangle_couplings.
    struct TriangleBond {
        std::int32_t bond = 0, begin = 0, end = 0;
    };
    std::vector<TriangleBond> triangle_bonds;
    std::vector<std::size_t> triangle_couplings;

    NumberedAtoms numbered;

private:
    static constexpr auto lanes = index(lincs::lanes);

    struct Entry {
        std::int32_t row = 0, column = 0;
        double value = 0.0;
        bool triangle = false;
    };

    const LincsShape& shape_of(std::int32_t cluster) const { return shapes_[shape_of_[index(cluster)]]; }
    void add_bonds_of(std::int32_t cluster, int order, const Atoms& atoms, const AtomDirectory& directory);
    void set_up(Bond& bond, const AtomDirectory& directory);
    void find_couplings();
    template <class Note>
    void fill(Matrix& matrix, std::size_t n_rows, std::span<const Entry> entries, Note note) const;

    std::vector<Entry> couplings_; // while the table is made: those of a row in the order of the cluster
    ShapeTable<LincsShape> shapes_;
    std::vector<std::int32_t> shape_of_; // per cluster
};

} // namespace holon
