#pragma once

#include <holon/core/three.hpp>
#include <holon/core/vector_math.hpp>

#include <cstdint>

/// The arithmetic of bonded terms, once for a plain double and for a vector of eight: the same operations in the same
/// order give the same bits in each lane on any instruction set. No library function, no contraction.
namespace holon::bonded {

inline constexpr int lanes = 8; // terms at a time
using F8 = Vector<double, lanes>;
using I8 = Vector<std::int64_t, lanes>;

template <class T>
using V3 = Three<T>;
template <class T>
HOLON_INLINE T dot(const V3<T>& a, const V3<T>& b)
{
    return a.x * b.x + (a.y * b.y + a.z * b.z);
}

/// atan2(y, x) within 5e-16, in (-pi, pi]; 0 at the origin.
template <class T>
HOLON_INLINE T arc_tangent(T y, T x)
{
    constexpr double pi = 3.14159265358979323846, tan_of_eighth = 0.41421356237309503; // pi/8
    // (arctan(t)/t - 1)/t^2 by powers of t^2, minimax for |t| <= tan(pi/8): 3e-17.
    constexpr double c[] = {-0.3333333333333333,   0.19999999999995516, -0.14285714284665682, 0.11111111015187018,
                            -0.0909090457530649,   0.07692183125376892, -0.06664510525508936, 0.05858140904866328,
                            -0.050854078345894844, 0.03923044778479309, -0.019175404711104935};
    const T zero{};
    const T width = select(x < 0.0, -x, x), height = select(y < 0.0, -y, y);
    const auto steep = height > width;
    const T low = select(steep, width, height), high = select(steep, height, width);
    const auto wide = low > tan_of_eighth * high; // then arctan(low/high) = pi/4 + arctan((low - high)/(low + high))
    const T numerator = select(wide, low - high, low);
    const T denominator = select(wide, low + high, high);
    const T t = select(denominator > 0.0, numerator / denominator, zero);
    const T t2 = t * t;
    T sum = zero + c[10];
#pragma GCC unroll 10
    for (int k = 9; k >= 0; --k) sum = sum * t2 + c[k];
    T angle = t + t * (t2 * sum);
    angle = select(wide, angle + 0.25 * pi, angle);
    angle = select(steep, 0.5 * pi - angle, angle);
    angle = select(x < 0.0, pi - angle, angle);
    return select(y < 0.0, -angle, angle);
}

/// Sine squared below which three atoms count as collinear: their plane, and with it the direction of a force that
/// bends or twists them, is lost in the rounding. Such a force is taken as zero.
inline constexpr double collinear = 1e-14;

/// The angle i-j-k [rad] and its gradients [rad/nm]; that of j is minus the sum of the others.
/// The arc tangent keeps its precision where the arc cosine loses it, near 0 and pi.
template <class T>
struct Angle {
    T theta;
    V3<T> gradient_i, gradient_k;

    HOLON_INLINE Angle(const V3<T>& r_ij, const V3<T>& r_kj)
    {
        const V3<T> normal = cross(r_ij, r_kj);
        const T normal2 = dot(normal, normal), ij2 = dot(r_ij, r_ij), kj2 = dot(r_kj, r_kj);
        const T length = square_root(normal2);
        theta = arc_tangent(length, dot(r_ij, r_kj));
        const auto bent = normal2 > collinear * ij2 * kj2;
        const T inverse = 1.0 / (ij2 * kj2 * length);
        gradient_i = select(bent, kj2 * inverse, T{}) * cross(r_ij, normal);
        gradient_k = select(bent, ij2 * inverse, T{}) * cross(normal, r_kj);
    }
};

/// The dihedral phi of i-j-k-l, trans = pi, positive when l is clockwise from i seen from j to k (IUPAC), and its
/// gradients [rad/nm]. A. Blondel, M. Karplus, J. Comput. Chem. 17 (1996) 1132, equations 27: no singularity at 0 and
/// pi.
template <class T>
struct Dihedral {
    T cosine, sine;
    V3<T> gradient_i, gradient_j, gradient_k, gradient_l;

    HOLON_INLINE Dihedral(const V3<T>& r_ij, const V3<T>& r_jk, const V3<T>& r_lk)
    {
        const V3<T> a = cross(r_ij, r_jk), b = cross(r_lk, r_jk);
        const T a2 = dot(a, a), b2 = dot(b, b), axis2 = dot(r_jk, r_jk);
        const T product = a2 * b2 * axis2;
        const auto defined = product > 0.0;
        const auto bent =
            (a2 > collinear * axis2 * dot(r_ij, r_ij)) & (b2 > collinear * axis2 * dot(r_lk, r_lk)) & defined;
        const T inverse = 1.0 / select(defined, product, T{} + 1.0);
        const T inverse_a2 = inverse * (b2 * axis2), inverse_b2 = inverse * (a2 * axis2);
        const T axis = square_root(axis2), inverse_axis = axis * (inverse * (a2 * b2));
        const T scale = square_root(inverse_a2 * inverse_b2);
        cosine = select(defined, scale * dot(a, b), T{} + 1.0);
        sine = scale * axis * dot(r_lk, a);
        const T per_a2 = select(bent, inverse_a2, T{}), per_b2 = select(bent, inverse_b2, T{});
        gradient_i = (-axis * per_a2) * a;
        gradient_l = (axis * per_b2) * b;
        const V3<T> along =
            (dot(r_ij, r_jk) * per_a2 * inverse_axis) * a - (dot(r_lk, r_jk) * per_b2 * inverse_axis) * b;
        gradient_j = along - gradient_i;
        gradient_k = -along - gradient_l;
    }
    /// [rad], in (-pi, pi].
    HOLON_INLINE T phi() const { return arc_tangent(sine, cosine); }
};

/// What a term gives: energies, forces on one atom each, whose opposite acts on another one, and the differences of
/// the two atoms, for the virial [kJ/mol, kJ/mol/nm, nm]. Each force is rounded once, so that a term's sum is zero.
/// Unless a term says otherwise, force k is on its atom k, and the last atom gets minus all of them.
template <class T, int n_forces, int n_energies = 1>
struct TermForces {
    T energy[n_energies];
    V3<T> f[n_forces];
    V3<T> d[n_forces];
};

/// Between which atoms of a term a force acts.
struct Ends {
    int head, tail;
};

/// -V'(r) r/|r|, the force on the head of a difference d of length r. Two atoms in one place attract or repel in no
/// direction: zero.
template <class T>
HOLON_INLINE V3<T> central_force(const V3<T>& d, T r, T slope)
{
    return select(r > 0.0, -slope / r, T{}) * d;
}

/// The differences that a dihedral is made of.
template <class T>
struct DihedralSides {
    V3<T> r_ij, r_jk, r_lk;

    template <class Difference>
    HOLON_INLINE explicit DihedralSides(const Difference& r) : r_ij(r(0, 1)), r_jk(r(1, 2)), r_lk(r(3, 2))
    {
    }
    HOLON_INLINE Dihedral<T> dihedral() const { return Dihedral<T>(r_ij, r_jk, r_lk); }

    /// For a potential of the dihedral.
    HOLON_INLINE TermForces<T, 3> forces(const Dihedral<T>& dihedral, T energy, T slope) const
    {
        return {{energy},
                {-slope * dihedral.gradient_i, -slope * dihedral.gradient_j, -slope * dihedral.gradient_k},
                {r_ij + r_jk - r_lk, r_jk - r_lk, -r_lk}};
    }
};

} // namespace holon::bonded
