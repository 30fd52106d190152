#pragma once

#include <holon/comm/buffer_exchange.hpp>

#include "fourier_grid.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace holon {

/// The block of grid points that a rank's atoms touch, not wrapped: [lo, hi) along each axis, which may lie anywhere
/// and be longer than the grid.
struct Brick {
    std::array<int, 3> lo{}, hi{};
    int size(int axis) const { return hi[static_cast<std::size_t>(axis)] - lo[static_cast<std::size_t>(axis)]; }
    bool empty() const { return size(0) <= 0 || size(1) <= 0 || size(2) <= 0; }
};

/// Brings charges from the bricks of all ranks to pencils, where they are added in integers, and potentials back.
/// Int: what charges are counted in; Real: potentials.
template <class Int, class Real>
class BrickExchange {
public:
    /// `row`: values per row of this rank's brick in memory (at least size(2)). Collective.
    BrickExchange(const Communicator& comm, const PencilLayout& layout, const Brick& brick, int row);

    /// Adds the bricks up; `pencil` [x][y][z] is overwritten. What a rank has for itself it takes at last, from the
    /// same brick. Collective.
    void start_collecting(std::span<const Int> brick);
    void finish_collecting(std::span<const Int> brick, std::span<Int> pencil);

    /// Likewise.
    void start_distributing(std::span<const Real> pencil);
    void finish_distributing(std::span<const Real> pencil, std::span<Real> brick);

    std::int64_t messages() const { return to_pencils_->messages() + to_bricks_->messages(); }
    std::int64_t bytes_sent() const { return to_pencils_->bytes_sent() + to_bricks_->bytes_sent(); }

private:
    /// A run of points along one axis in a brick (from its corner) and in a pencil (from its corner).
    struct Run {
        int brick, pencil, size;
    };
    /// What one rank's brick and one rank's pencil share: the product of runs along three axes.
    struct Overlap {
        std::array<std::vector<Run>, 3> runs;
        std::size_t points() const;
    };
    Overlap overlap(const Brick& brick, int pencil) const;
    template <class Use>
    void for_each_row(const Overlap& overlap, Use use) const;
    std::size_t in_brick(int x, int y, int z) const;
    std::size_t in_pencil(int x, int y, int z) const;

    PencilLayout layout_;
    int pencil_;
    std::array<int, 3> brick_size_;             // in memory
    std::vector<Overlap> as_brick_, as_pencil_; // with other ranks
    std::optional<Overlap> own_;
    std::optional<BufferExchange> to_pencils_, to_bricks_;
};

extern template class BrickExchange<std::int32_t, float>;
extern template class BrickExchange<std::int64_t, double>;

} // namespace holon
