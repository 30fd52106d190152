#pragma once

#include "bonded_scalar.hpp"

/// Kinds of terms that few systems have: computed one by one, in plain doubles.
///
/// Such a kind is a struct in <name>.hpp with
///     TermForces<double, n> compute(const Differences& r, const InteractionParameters& p)
/// and a line of the list in rare_terms.cpp. Where `ends` is not given, force k acts on atom k of the term and the
/// opposite on its last one: see bonded_math.hpp.
namespace holon::bonded {

/// Of the atoms of one term: r(i, j) = x_i - x_j [nm].
class Differences {
public:
    Differences(const ScalarContext& context, const std::int32_t* atoms) : context_(context), atoms_(atoms) {}
    V3<double> operator()(int i, int j) const { return difference(context_, atoms_[i], atoms_[j]); }
    const ScalarContext& context() const { return context_; }

private:
    const ScalarContext& context_;
    const std::int32_t* atoms_;
};

inline double length(const V3<double>& d)
{
    return square_root(dot(d, d));
}

/// 1/r, or 0 of atoms in one place, between which no direction is defined.
inline double inverse(double r)
{
    return r > 0.0 ? 1.0 / r : 0.0;
}

/// The cosine of an angle between two differences and its gradients [1/nm]; zero of atoms in one place.
struct AngleCosine {
    double cosine, sine2;
    V3<double> gradient_i, gradient_k; // of the heads of r_ij and r_kj

    AngleCosine(const V3<double>& r_ij, const V3<double>& r_kj)
    {
        const double per_ij = inverse(length(r_ij)), per_kj = inverse(length(r_kj));
        const V3<double> u = per_ij * r_ij, w = per_kj * r_kj, normal = cross(u, w);
        cosine = dot(u, w);
        sine2 = dot(normal, normal);
        gradient_i = per_ij * (w - cosine * u);
        gradient_k = per_kj * (u - cosine * w);
    }
};

/// V = 1/2 k (c - c0)^2 / s^2 of the cosine c and the sine s of an angle, and dV/dc: with a wall that keeps the angle
/// from 0 and pi. M. Bulacu et al., J. Chem. Theory Comput. 9 (2013) 3282, equations 4 to 8. Within 1e-7 rad of the
/// wall it rises no further.
struct RestrictedPotential {
    double energy, slope;

    RestrictedPotential(double cosine, double sine2, double cosine0, double k)
    {
        const double bend = cosine - cosine0, per_s2 = 1.0 / (sine2 > collinear ? sine2 : collinear);
        energy = 0.5 * k * bend * bend * per_s2;
        slope = k * bend * (1.0 - cosine * cosine0) * per_s2 * per_s2;
    }
};

} // namespace holon::bonded
