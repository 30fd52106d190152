#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cstdint>

namespace holon {

/// Real 3-vectors and matrices; fixed-point (lattice) 3-vectors. Components are 0 = x, 1 = y, 2 = z.
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using IVec3 = Eigen::Matrix<std::int64_t, 3, 1>;

/// a . b, added from x to z, as the kernels do: Eigen's own order depends on how it has been compiled.
inline double dot(const Vec3& a, const Vec3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// a x b, likewise.
inline Vec3 cross(const Vec3& a, const Vec3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Index of an atom in the whole system, in input order, from 0.
using AtomId = std::int32_t;

} // namespace holon
