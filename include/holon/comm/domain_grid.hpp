#pragma once

#include <holon/core/box.hpp>

#include <array>
#include <vector>

namespace holon {

/// The ranks as a 3-D grid of domains: domain (i, j, k) owns fractional coordinates [i/nx, (i+1)/nx) x ... along the
/// box vectors a, b, c.
class DomainGrid {
public:
    DomainGrid() = default;
    explicit DomainGrid(const std::array<int, 3>& n) : n_(n) {}

    /// The grid on `ranks` domains that imports the fewest atoms from other ranks for a halo of `width` [nm].
    /// Throws InputError if `requested` (three numbers, or empty for automatic) does not multiply to `ranks`.
    static DomainGrid choose(int ranks, const Box& box, double width, const std::vector<int>& requested);

    const std::array<int, 3>& n() const { return n_; }
    int size() const { return n_[0] * n_[1] * n_[2]; }
    int rank(const std::array<int, 3>& cell) const { return (cell[0] * n_[1] + cell[1]) * n_[2] + cell[2]; }
    std::array<int, 3> cell(int rank) const { return {rank / (n_[1] * n_[2]), rank / n_[2] % n_[1], rank % n_[2]}; }

    /// The domain that owns a position of the canonical cell. (In a skewed box the canonical cell, a brick, is not the
    /// parallelepiped that the domains divide.)
    std::array<int, 3> cell_of(const Box& box, const IVec3& x) const;

    /// The box vectors to take off a canonical position so that its fractional coordinates are in [0, 1).
    static Image parallelepiped_image(const Box& box, const IVec3& x);

private:
    std::array<int, 3> n_{1, 1, 1};
};

} // namespace holon
