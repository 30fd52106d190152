#pragma once

#include <holon/core/vec3.hpp>
#include <holon/system/topology.hpp>

#include <cmath>
#include <cstddef>

/// The constructions of virtual sites. Each has place(), the vector from the parent i to the site, and share(), what
/// the other parents j, k, l get of a force F on the site: the transposed derivative of place(); i gets the rest. `arm`
/// are the vectors from i to j, k, l [nm], `p` the parameters. Sources: H. J. C. Berendsen, W. F. van Gunsteren, in
/// Molecular Liquids, ed. A. J. Barnes et al. (Reidel, 1984), p. 475; K. A. Feenstra, B. Hess, H. J. C. Berendsen,
/// J. Comput. Chem. 20, 786 (1999); GROMACS manual, "Virtual interaction sites".
namespace holon::sites {

/// What of v is normal to the unit vector e.
inline Vec3 normal_part(const Vec3& v, const Vec3& e)
{
    return v - dot(v, e) * e;
}

inline double length(const Vec3& v)
{
    return std::sqrt(dot(v, v));
}

/// sum p_m r_m over the arms m; i has the weight 1 - sum p_m. Without arms, the site is where its parent is.
template <int N>
struct Linear {
    static constexpr std::size_t arms = N;
    static constexpr bool linear = true;

    static Vec3 place(const Vec3* arm, const double* p)
    {
        Vec3 r = Vec3::Zero();
        for (std::size_t m = 0; m < arms; ++m) r += p[m] * arm[m];
        return r;
    }
    static void share(const Vec3*, const double* p, const Vec3& force, Vec3* f)
    {
        for (std::size_t m = 0; m < arms; ++m) f[m] = p[m] * force;
    }
};

/// The same with any number of arms.
struct LinearOfMany {
    std::size_t arms;
    static constexpr bool linear = true;

    Vec3 place(const Vec3* arm, const double* p) const
    {
        Vec3 r = Vec3::Zero();
        for (std::size_t m = 0; m < arms; ++m) r += p[m] * arm[m];
        return r;
    }
    void share(const Vec3*, const double* p, const Vec3& force, Vec3* f) const
    {
        for (std::size_t m = 0; m < arms; ++m) f[m] = p[m] * force;
    }
};

/// a r_ij / |r_ij|; p: a [nm].
struct LineDistance {
    static constexpr std::size_t arms = 1;
    static constexpr bool linear = false;

    static Vec3 place(const Vec3* arm, const double* p) { return p[0] / length(arm[0]) * arm[0]; }
    static void share(const Vec3* arm, const double* p, const Vec3& force, Vec3* f)
    {
        const double r = length(arm[0]);
        f[0] = p[0] / r * normal_part(force, arm[0] / r);
    }
};

/// b u / |u|, u = r_ij + a r_jk; p: a, b [nm].
struct PlaneDistance {
    static constexpr std::size_t arms = 2;
    static constexpr bool linear = false;

    static Vec3 towards(const Vec3* arm, const double* p) { return (1.0 - p[0]) * arm[0] + p[0] * arm[1]; }
    static Vec3 place(const Vec3* arm, const double* p)
    {
        const Vec3 u = towards(arm, p);
        return p[1] / length(u) * u;
    }
    static void share(const Vec3* arm, const double* p, const Vec3& force, Vec3* f)
    {
        const Vec3 u = towards(arm, p);
        const double size = length(u);
        const Vec3 q = p[1] / size * normal_part(force, u / size);
        f[0] = (1.0 - p[0]) * q;
        f[1] = p[0] * q;
    }
};

/// a e + b n / |n|: e along r_ij, n = r_jk less what of it is along e; p: a = d cos(theta), b = d sin(theta) [nm].
struct PlaneAngle {
    static constexpr std::size_t arms = 2;
    static constexpr bool linear = false;

    static Vec3 place(const Vec3* arm, const double* p)
    {
        const Vec3 e = arm[0] / length(arm[0]), n = normal_part(arm[1] - arm[0], e);
        return p[0] * e + p[1] / length(n) * n;
    }
    static void share(const Vec3* arm, const double* p, const Vec3& force, Vec3* f)
    {
        const double r = length(arm[0]);
        const Vec3 e = arm[0] / r, jk = arm[1] - arm[0], n = normal_part(jk, e);
        const double size = length(n);
        const Vec3 of_n = p[1] / size * normal_part(force, n / size); // derivative by n
        const Vec3 of_jk = normal_part(of_n, e);
        // By e at fixed jk, of which what is along e does not matter.
        const Vec3 of_e = p[0] * force - dot(of_n, e) * jk - dot(jk, e) * of_n;
        f[0] = normal_part(of_e, e) / r - of_jk;
        f[1] = of_jk;
    }
};

/// a r_ij + b r_ik + c r_ij x r_ik; p: a, b, c [1/nm].
struct OutOfPlane {
    static constexpr std::size_t arms = 2;
    static constexpr bool linear = false;

    static Vec3 place(const Vec3* arm, const double* p)
    {
        return p[0] * arm[0] + p[1] * arm[1] + p[2] * cross(arm[0], arm[1]);
    }
    static void share(const Vec3* arm, const double* p, const Vec3& force, Vec3* f)
    {
        f[0] = p[0] * force + p[2] * cross(arm[1], force);
        f[1] = p[1] * force - p[2] * cross(arm[0], force);
    }
};

/// c m / |m|, m = (a r_ik - r_ij) x (b r_il - r_ij); p: a, b, c [nm].
struct FourAtoms {
    static constexpr std::size_t arms = 3;
    static constexpr bool linear = false;

    static Vec3 place(const Vec3* arm, const double* p)
    {
        const Vec3 m = cross(p[0] * arm[1] - arm[0], p[1] * arm[2] - arm[0]);
        return p[2] / length(m) * m;
    }
    static void share(const Vec3* arm, const double* p, const Vec3& force, Vec3* f)
    {
        const Vec3 ja = p[0] * arm[1] - arm[0], jb = p[1] * arm[2] - arm[0], m = cross(ja, jb);
        const double size = length(m);
        const Vec3 of_m = p[2] / size * normal_part(force, m / size), of_ja = cross(jb, of_m), of_jb = cross(of_m, ja);
        f[0] = -of_ja - of_jb;
        f[1] = p[0] * of_ja;
        f[2] = p[1] * of_jb;
    }
};

/// Calls use(construction) with that of this kind and number of arms.
template <class Use>
void with_construction(SiteKind kind, std::size_t arms, Use use)
{
    switch (kind) {
    case SiteKind::linear:
        switch (arms) {
        case 0:
            return use(Linear<0>{});
        case 1:
            return use(Linear<1>{});
        case 2:
            return use(Linear<2>{});
        default:
            return use(LinearOfMany{arms});
        }
    case SiteKind::line_distance:
        return use(LineDistance{});
    case SiteKind::plane_distance:
        return use(PlaneDistance{});
    case SiteKind::plane_angle:
        return use(PlaneAngle{});
    case SiteKind::out_of_plane:
        return use(OutOfPlane{});
    case SiteKind::four_atoms:
        return use(FourAtoms{});
    }
}

/// How many numbers a construction of this kind takes.
inline std::size_t parameter_count(SiteKind kind, std::size_t arms)
{
    switch (kind) {
    case SiteKind::linear:
        return arms;
    case SiteKind::line_distance:
        return 1;
    case SiteKind::plane_distance:
    case SiteKind::plane_angle:
        return 2;
    case SiteKind::out_of_plane:
    case SiteKind::four_atoms:
        return 3;
    }
    return 0;
}

} // namespace holon::sites
