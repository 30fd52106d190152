#pragma once

#include <holon/comm/communicator.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace holon {

/// Half-open range of grid indices along an axis.
struct Range {
    int begin = 0, end = 0;
    int size() const { return end - begin; }
};

/// The i-th of `parts` nearly equal parts of [0, n).
inline Range part_of(int n, int parts, int i)
{
    const auto edge = [&](int k) { return static_cast<int>(std::int64_t{n} * k / parts); };
    return {edge(i), edge(i + 1)};
}

/// How a grid of n[0] x n[1] x n[2] points is shared out in pencils among fx x fy of the ranks; the others hold
/// nothing. Points (x, y, all z) belong to pencil (a, b) with x in part a and y in part b; modes (all kx, ky, kz) to
/// the one with ky in part a of n[1] and kz in part b of n[2]/2 + 1.
struct PencilLayout {
    std::array<int, 3> n{};
    int fx = 1, fy = 1;
    int ranks = 1; // of the run

    /// The layout on at most `most` ranks that should be the fastest: more pencils share the work, and send more
    /// messages, fewest where fx and fy are alike. Messages take longer between several computers.
    static PencilLayout choose(const std::array<int, 3>& n, int ranks, std::int64_t most, bool several_computers);

    int pencils() const { return fx * fy; }
    int half() const { return n[2] / 2 + 1; } // modes along z
    int rank_of(int a, int b) const { return static_cast<int>(std::int64_t{a * fy + b} * ranks / pencils()); }
    int pencil_of(int rank) const; // -1: this rank has none
    Range x(int a) const { return part_of(n[0], fx, a); }
    Range y(int b) const { return part_of(n[1], fy, b); }
    Range ky(int a) const { return part_of(n[1], fx, a); }
    Range kz(int b) const { return part_of(half(), fy, b); }
};

/// Three-dimensional Fourier transforms of a real grid in pencils: lines along z, then y, then x, with two exchanges
/// between. Not normalised. The same bits on any number of ranks.
template <class Real>
class FourierGrid {
public:
    FourierGrid(const Communicator& comm, const PencilLayout& layout);
    ~FourierGrid();

    /// [x][y][z] of this rank's pencil; empty if it has none.
    std::span<Real> points();
    /// [kx][ky][kz] likewise; from finish_forward() to start_backward().
    std::span<std::complex<Real>> modes();

    /// points -> modes, sum over points exp(-i k x). Between the two parts messages are under way. Collective. (Forward
    /// and backward take turns.)
    void start_forward();
    void finish_forward();

    /// modes -> points, sum over modes exp(+i k x). Likewise.
    void start_backward();
    void finish_backward();

    /// CPU time [s] of the lines since this was asked last: what only ranks with a pencil have to do.
    double take_work_seconds();

    std::int64_t messages() const; // sent by this rank in one forward and one backward transform
    std::int64_t bytes_sent() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class FourierGrid<float>;
extern template class FourierGrid<double>;

} // namespace holon
