#include <holon/core/error.hpp>
#include <holon/core/units.hpp>
#include <holon/forces/cmap_surface.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace holon {

namespace {

/// Slopes at the points of the middle period of a natural cubic spline through two periods of `values`, per spacing.
/// The spline's second derivatives m solve m[i-1] + 4 m[i] + m[i+1] = 6 (y[i-1] - 2 y[i] + y[i+1]) with zero at the
/// ends.
std::vector<double> spline_slopes(const std::vector<double>& values)
{
    const std::size_t n = values.size(), half = n / 2, total = 2 * n;
    const auto y = [&](std::size_t i) { return values[(i + n - half) % n]; };
    std::vector<double> m(total, 0.0), ratio(total, 0.0);
    for (std::size_t i = 1; i + 1 < total; ++i) {
        const double pivot = 4.0 - ratio[i - 1];
        ratio[i] = 1.0 / pivot;
        m[i] = (6.0 * (y(i - 1) - 2.0 * y(i) + y(i + 1)) - m[i - 1]) / pivot;
    }
    for (std::size_t i = total - 1; i-- > 1;) m[i] -= ratio[i] * m[i + 1];
    std::vector<double> slopes(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = i + half;
        slopes[i] = y(at + 1) - y(at) - (2.0 * m[at] + m[at + 1]) / 6.0;
    }
    return slopes;
}

/// Cubic Hermite weights at t in [0, 1) of the value at 0, the slope at 0, the value at 1, the slope at 1.
std::array<double, 4> hermite(double t)
{
    const double u = 1.0 - t;
    return {u * u * (1.0 + 2.0 * t), t * u * u, t * t * (3.0 - 2.0 * t), -t * t * u};
}

std::array<double, 4> hermite_derivative(double t)
{
    const double u = 1.0 - t;
    return {-6.0 * t * u, u * (1.0 - 3.0 * t), 6.0 * t * u, t * (3.0 * t - 2.0)};
}

/// Cell and place in it of an angle: cells start at -180 degrees.
std::pair<int, double> locate(double angle, int size)
{
    const double turns = angle / (2.0 * units::pi) + 0.5;
    const double place = (turns - std::floor(turns)) * size;
    const int cell = std::min(static_cast<int>(place), size - 1);
    return {cell, place - cell};
}

} // namespace

CmapSurface::CmapSurface(const CmapGrid& grid) : size_(grid.size)
{
    const auto n = static_cast<std::size_t>(std::max(grid.size, 0));
    if (grid.size < 4 || grid.energy.size() != n * n)
        throw InputError(
            fmt::format("A correction map (cmap) has {} points for a grid of {} x {}: give a square grid of at "
                        "least 4 x 4 points.",
                        grid.energy.size(), grid.size, grid.size));
    nodes_.resize(n * n);
    for (std::size_t i = 0; i < n * n; ++i) nodes_[i].value = grid.energy[i];

    // One field of the nodes, differentiated along every row or every column into another.
    const auto differentiate = [&](double Node::*from, double Node::*to, std::size_t line, std::size_t point) {
        std::vector<double> values(n);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t i = 0; i < n; ++i) values[i] = nodes_[k * line + i * point].*from;
            const auto slopes = spline_slopes(values);
            for (std::size_t i = 0; i < n; ++i) nodes_[k * line + i * point].*to = slopes[i];
        }
    };
    differentiate(&Node::value, &Node::by_column, n, 1);
    differentiate(&Node::value, &Node::by_row, 1, n);
    differentiate(&Node::by_column, &Node::by_both, 1, n);
}

const CmapSurface::Node& CmapSurface::node(int row, int column) const
{
    const int at = row % size_ * size_ + column % size_;
    return nodes_[static_cast<std::size_t>(at)];
}

CmapSurface::Value CmapSurface::operator()(double phi, double psi) const
{
    const auto [row, t] = locate(phi, size_);
    const auto [column, u] = locate(psi, size_);
    const auto weight_t = hermite(t), weight_u = hermite(u);
    const auto slope_t = hermite_derivative(t), slope_u = hermite_derivative(u);
    Value sum{0.0, 0.0, 0.0};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const Node& corner = node(row + i, column + j);
            const auto a = static_cast<std::size_t>(2 * i), b = static_cast<std::size_t>(2 * j);
            const auto blend = [&](const std::array<double, 4>& wt, const std::array<double, 4>& wu) {
                return wt[a] * (wu[b] * corner.value + wu[b + 1] * corner.by_column) +
                       wt[a + 1] * (wu[b] * corner.by_row + wu[b + 1] * corner.by_both);
            };
            sum.energy += blend(weight_t, weight_u);
            sum.phi += blend(slope_t, weight_u);
            sum.psi += blend(weight_t, slope_u);
        }
    const double per_radian = size_ / (2.0 * units::pi);
    return {sum.energy, sum.phi * per_radian, sum.psi * per_radian};
}

std::vector<CmapSurface> cmap_surfaces(const Topology& topology)
{
    return {topology.cmap_grids.begin(), topology.cmap_grids.end()};
}

} // namespace holon
