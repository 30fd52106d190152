#include "bonded_detail.hpp"

namespace holon::bonded {

// The arc tangent keeps its precision where the arc cosine loses it, near 0 and pi.
Angle::Angle(const Vec3& r_ij, const Vec3& r_kj) : gradient_i(Vec3::Zero()), gradient_k(Vec3::Zero())
{
    const Vec3 normal = r_ij.cross(r_kj);
    const double normal2 = normal.squaredNorm();
    const double length2_ij = r_ij.squaredNorm(), length2_kj = r_kj.squaredNorm();
    const double normal_length = std::sqrt(normal2);
    theta = std::atan2(normal_length, r_ij.dot(r_kj));
    if (normal2 <= collinear * length2_ij * length2_kj) return;
    gradient_i = r_ij.cross(normal) / (length2_ij * normal_length);
    gradient_k = normal.cross(r_kj) / (length2_kj * normal_length);
}

// A. Blondel, M. Karplus, J. Comput. Chem. 17 (1996) 1132, equations 27: no singularity at 0 and pi.
Dihedral::Dihedral(const Vec3& r_ij, const Vec3& r_jk, const Vec3& r_lk)
    : gradient_i(Vec3::Zero()), gradient_j(Vec3::Zero()), gradient_k(Vec3::Zero()), gradient_l(Vec3::Zero())
{
    const Vec3 a = r_ij.cross(r_jk);
    const Vec3 b = r_lk.cross(r_jk);
    const double a2 = a.squaredNorm(), b2 = b.squaredNorm();
    const double axis2 = r_jk.squaredNorm();
    const double axis = std::sqrt(axis2);
    phi = std::atan2(axis * r_lk.dot(a), a.dot(b));
    if (a2 <= collinear * axis2 * r_ij.squaredNorm() || b2 <= collinear * axis2 * r_lk.squaredNorm()) return;
    gradient_i = -axis / a2 * a;
    gradient_l = axis / b2 * b;
    const Vec3 along = r_ij.dot(r_jk) / (a2 * axis) * a - r_lk.dot(r_jk) / (b2 * axis) * b;
    gradient_j = along - gradient_i;
    gradient_k = -along - gradient_l;
}

} // namespace holon::bonded
