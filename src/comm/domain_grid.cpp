#include <holon/comm/domain_grid.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace holon {

namespace {

/// Volume [nm^3] that one domain imports from other ranks, plus a little of what it copies from itself (periodic images
/// along undivided directions cost memory and search, but no message).
double import_cost(const std::array<int, 3>& n, const Box& box, double width)
{
    double all = 1.0, unsent = 1.0, own = 1.0;
    for (std::size_t k = 0; k < 3; ++k) {
        const double side = box.height(static_cast<int>(k)) / n[k];
        own *= side;
        all *= side + width;
        unsent *= n[k] == 1 ? side + width : side;
    }
    return (all - unsent) + 0.1 * (unsent - own);
}

} // namespace

DomainGrid DomainGrid::choose(int ranks, const Box& box, double width, const std::vector<int>& requested)
{
    if (!requested.empty()) {
        const long product = requested.size() == 3 ? static_cast<long>(requested[0]) * requested[1] * requested[2] : 0;
        if (product != ranks)
            throw InputError(fmt::format("domains = {} needs {} ranks, but the run has {}. Start it with that many "
                                         "ranks, or leave `domains` out for an automatic grid.",
                                         fmt::join(requested, "x"), product, ranks));
        return DomainGrid({requested[0], requested[1], requested[2]});
    }
    std::array<int, 3> best{1, 1, ranks};
    double lowest = std::numeric_limits<double>::max();
    // Of equal ones the first, whatever rounding does: the least cuts along z, where pair lists have long columns.
    for (int nx = ranks; nx >= 1; --nx) {
        if (ranks % nx != 0) continue;
        for (int ny = ranks / nx; ny >= 1; --ny) {
            if (ranks / nx % ny != 0) continue;
            const std::array<int, 3> n{nx, ny, ranks / nx / ny};
            const double cost = import_cost(n, box, width);
            if (cost < lowest * (1.0 - 1e-9)) {
                lowest = cost;
                best = n;
            }
        }
    }
    return DomainGrid(best);
}

DomainGrid::DomainGrid(const Cell& n) : n_(n)
{
    int rows = 1;
    for (std::size_t k = 0; k < 3; ++k) {
        for (int row = 0; row < rows; ++row)
            for (int i = 0; i <= n[k]; ++i) faces_[k].push_back(static_cast<double>(i) / n[k]);
        rows *= n[k];
    }
}

std::size_t DomainGrid::first_face(int axis, const Cell& cell) const
{
    const int row = axis == 0 ? 0 : axis == 1 ? cell[0] : cell[0] * n_[1] + cell[1];
    return index(row) * index(n_[index(axis)] + 1);
}

std::span<const double> DomainGrid::faces(int axis, const Cell& cell) const
{
    const auto k = index(axis);
    return std::span(faces_[k]).subspan(first_face(axis, cell), index(n_[k] + 1));
}

std::span<double> DomainGrid::faces(int axis, const Cell& cell)
{
    const auto k = index(axis);
    return std::span(faces_[k]).subspan(first_face(axis, cell), index(n_[k] + 1));
}

double DomainGrid::lower(int axis, Cell cell) const
{
    int turns = 0;
    for (std::size_t k = 0; k <= index(axis); ++k) {
        turns = cell[k] >= 0 ? cell[k] / n_[k] : -((n_[k] - 1 - cell[k]) / n_[k]);
        cell[k] -= turns * n_[k];
    }
    const auto k = index(axis);
    return faces_[k][first_face(axis, cell) + index(cell[k])] + turns;
}

DomainGrid::Cell DomainGrid::cell_of(const Box& box, const IVec3& x) const
{
    const Vec3 s = box.fractional(x);
    Cell cell{};
    for (int k = 0; k < 3; ++k) {
        const auto row = faces(k, cell);
        const auto inner = row.subspan(1, row.size() - 2);
        const auto above = std::ranges::upper_bound(inner, s[k] - std::floor(s[k]));
        cell[index(k)] = static_cast<int>(above - inner.begin());
    }
    return cell;
}

Image DomainGrid::parallelepiped_image(const Box& box, const IVec3& x)
{
    const Vec3 s = box.fractional(x);
    Image image;
    for (int k = 0; k < 3; ++k) image[k] = static_cast<std::int32_t>(std::floor(s[k]));
    return image;
}

} // namespace holon
