#pragma once

#include <holon/core/box.hpp>
#include <holon/core/index.hpp>

#include <array>
#include <span>
#include <vector>

namespace holon {

/// The ranks as a 3-D grid of domains, in fractional coordinates along the box vectors a, b, c. Planes divide the box
/// along a into slabs, each slab has planes of its own along b, and each column of a slab its own along c: so the faces
/// of neighbours need not meet, and any load can be shared out evenly. Which rank owns what, not what is computed:
/// where the faces are changes no bit. Every rank knows them all, 8 bytes per domain.
class DomainGrid {
public:
    using Cell = std::array<int, 3>;

    DomainGrid() : DomainGrid(Cell{1, 1, 1}) {}
    explicit DomainGrid(const Cell& n); // equal parts

    /// The grid on `ranks` domains that imports the fewest atoms from other ranks for a halo of `width` [nm].
    /// Throws InputError if `requested` (three numbers, or empty for automatic) does not multiply to `ranks`.
    static DomainGrid choose(int ranks, const Box& box, double width, const std::vector<int>& requested);

    const Cell& n() const { return n_; }
    int size() const { return n_[0] * n_[1] * n_[2]; }
    int rank(const Cell& cell) const { return (cell[0] * n_[1] + cell[1]) * n_[2] + cell[2]; }
    Cell cell(int rank) const { return {rank / (n_[1] * n_[2]), rank / n_[2] % n_[1], rank % n_[2]}; }

    /// Faces of a domain along an axis. Cells may lie outside of the grid, as periodic images: then so do their faces.
    double lower(int axis, Cell cell) const;
    double upper(int axis, Cell cell) const
    {
        ++cell[index(axis)];
        return lower(axis, cell);
    }

    /// Faces of the domains that share the slab (axis 1) or column (axis 2) of a cell within the grid, n[axis] + 1
    /// numbers from 0 to 1; along axis 0 there is only one such set.
    std::span<const double> faces(int axis, const Cell& cell) const;
    std::span<double> faces(int axis, const Cell& cell);

    /// The domain that owns a position of the canonical cell. (In a skewed box the canonical cell, a brick, is not the
    /// parallelepiped that the domains divide.)
    Cell cell_of(const Box& box, const IVec3& x) const;

    /// The box vectors to take off a canonical position so that its fractional coordinates are in [0, 1).
    static Image parallelepiped_image(const Box& box, const IVec3& x);

private:
    std::size_t first_face(int axis, const Cell& cell) const;

    Cell n_;
    std::array<std::vector<double>, 3> faces_; // n + 1 per row of domains along the axis
};

} // namespace holon
