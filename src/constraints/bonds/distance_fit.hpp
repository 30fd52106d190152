#pragma once

#include <holon/core/index.hpp>
#include <holon/core/vec3.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace holon {

/// A distance between two points that is to have a length. Across a periodic boundary `shift` is the box vector that
/// leads from the image of j beside i to j itself.
struct Distance {
    std::int32_t i = 0, j = 0;
    double length = 0.0;          // [nm]
    Vec3 shift = Vec3::Zero();    // [nm]
    std::int32_t constraint = -1; // where it comes from

    Vec3 vector(const std::vector<Vec3>& x) const { return x[index(j)] - x[index(i)] + shift; }
};

/// Moves the points [nm] by as little as it takes to the lengths, or as close to them as can be: least squares by the
/// method of Levenberg and Marquardt (D. W. Marquardt, J. Soc. Ind. Appl. Math. 11, 431 (1963)), its linear equations
/// by conjugate gradients. Returns the largest relative error that is left; not finite for points that coincide.
///
/// Distances may depend on each other. Where they only can be kept if points lie in a line or a plane, that is where
/// the points end.
double fit_distances(std::vector<Vec3>& x, std::span<const Distance> distances);

/// The points about their mean, turned to their principal axes: that of the largest extent first.
std::vector<Vec3> on_principal_axes(std::vector<Vec3> x);

} // namespace holon
