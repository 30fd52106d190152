#include "newton_planes.hpp"

#include <holon/core/index.hpp>

#include "bonds/bond.hpp"

#include <cmath>

namespace holon::newton {

namespace {

PlaneGradient gradient(const PlaneEdges& e, double area)
{
    const double unit = 1.0 / std::sqrt(area);
    const Vec3 j = unit * e[1].cross(e[2]), k = unit * e[2].cross(e[0]), l = unit * e[0].cross(e[1]);
    return {Vec3(-((j + k) + l)), j, k, l};
}

/// The condition, from its gradient: it is linear in e3.
double height(const PlaneEdges& e, const PlaneGradient& g)
{
    return dot(e[2], g[3]);
}

/// The rate of the condition, from relative velocities.
double rate(const PlaneEdges& v, const PlaneGradient& g)
{
    return (dot(v[0], g[1]) + dot(v[1], g[2])) + dot(v[2], g[3]);
}

} // namespace

LeafPlanes::LeafPlanes(const PlaneShape& shape, PlaneNumbers& numbers, std::size_t first)
    : shape_(shape), reference_(std::span(numbers.reference).subspan(first, shape.planes.size())),
      present_(std::span(numbers.present).subspan(first, shape.planes.size())),
      edges_(std::span(numbers.edges).subspan(first, shape.planes.size()))
{
}

PlaneEdges LeafPlanes::edges_of(const PlaneShape::Plane& plane, const IVec3* values, const Box* box, double unit) const
{
    PlaneEdges edges;
    for (std::size_t n = 0; n < 3; ++n) {
        const IVec3 difference = values[plane.atoms[n + 1]] - values[plane.atoms[0]];
        edges[n] = to_real(box != nullptr ? IVec3(box->minimum_image(difference)) : difference, unit);
    }
    return edges;
}

void LeafPlanes::start(const IVec3* reference, const IVec3* trial, const Box& box, bool velocities)
{
    for (std::size_t p = 0; p < shape_.planes.size(); ++p) {
        const auto& plane = shape_.planes[p];
        reference_[p] = gradient(edges_of(plane, reference, &box, position_unit), plane.area);
        present_[p] = reference_[p];
        edges_[p] = edges_of(plane, trial, velocities ? nullptr : &box, velocities ? velocity_unit : position_unit);
    }
}

void LeafPlanes::set_right_side(const double* move, bool velocities, double scale, std::span<const std::int32_t> names,
                                std::span<double> rhs, Report& report) const
{
    for (std::size_t p = 0; p < index(shape_.n_own); ++p) {
        const auto& plane = shape_.planes[p];
        const auto moved = [&](std::size_t atom) {
            const double* const at = move + 4 * index(plane.atoms[atom]);
            return Vec3(at[0], at[1], at[2]);
        };
        auto e = edges_[p];
        for (std::size_t n = 0; n < 3 && move != nullptr; ++n) e[n] += moved(n + 1) - moved(0);
        if (!velocities) present_[p] = gradient(e, plane.area);
        const double g = velocities ? rate(e, reference_[p]) : height(e, present_[p]);
        const double along = dot(present_[p][3], reference_[p][3]);
        rhs[index(plane.place)] = g;
        report.note(std::abs(g) / plane.area * scale, names[index(plane.place)]);
        if (!(g - g == 0.0) || !(along > min_cosine * plane.area)) report.fail(names[index(plane.place)], turned);
    }
}

void LeafPlanes::add_rows(const Leaf& leaf, bool with_reference, std::span<double> values) const
{
    const auto vector_of = [&](const PlaneShape::Side& side, bool reference) -> Vec3 {
        if (side.is_plane) return (reference ? reference_ : present_)[index(side.number)][index(side.atom)];
        const double* const r = (reference ? leaf.r : leaf.present) + side.number;
        const Vec3 along(r[0], r[leaf.n], r[2 * leaf.n]);
        return side.atom == 0 ? Vec3(-along) : along;
    };
    for (const auto& product : shape_.products)
        values[index(product.position)] +=
            product.inverse_mass * dot(vector_of(product.row, with_reference), vector_of(product.column, true));
}

void LeafPlanes::update(std::span<const double> change, double* move) const
{
    for (std::size_t p = 0; p < shape_.planes.size(); ++p) {
        const auto& plane = shape_.planes[p];
        for (std::size_t a = 0; a < 4; ++a) {
            double* const at = move + 4 * index(plane.atoms[a]);
            const double by = change[index(plane.place)] * plane.inverse_mass[a];
            for (int k = 0; k < 3; ++k) at[k] -= by * reference_[p][a][k];
        }
    }
}

double LeafPlanes::largest_error(const IVec3* trial, const Box& box, bool velocities) const
{
    double largest = 0.0;
    for (std::size_t p = 0; p < index(shape_.n_own); ++p) {
        const auto& plane = shape_.planes[p];
        const auto e = edges_of(plane, trial, velocities ? nullptr : &box, velocities ? velocity_unit : position_unit);
        const double g = velocities ? rate(e, reference_[p]) : height(e, gradient(e, plane.area));
        const double error = std::abs(g) / plane.area;
        if (!(error <= largest)) largest = error; // not a number, too
    }
    return largest;
}

} // namespace holon::newton
