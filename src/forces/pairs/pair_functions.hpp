#pragma once

#include <holon/core/vector_math.hpp>
#include <holon/forces/nonbonded.hpp>

#include <cstdint>
#include <type_traits>

/// The radial functions of the pair interactions, once for float, double and vectors of float: the same operations in
/// the same order give the same bits in each lane.
namespace holon::pair {

/// Pairs closer than 2^-10 nm count as that far apart, squared: the attraction of charges has a bottom then, and
/// energies stay numbers.
inline constexpr double least_distance2 = 0x1p-20;

/// ewald: 1/r less the smooth part of an Ewald split, a polynomial (Coulomb only).
enum class Form { plain, force_switch, potential_switch, ewald };

inline Form form_of(Modifier modifier)
{
    if (modifier == Modifier::force_switch) return Form::force_switch;
    return modifier == Modifier::potential_switch ? Form::potential_switch : Form::plain;
}

/// Calls use(std::integral_constant<Form, form>).
template <class Use>
auto with_form(Form form, Use use)
{
    if (form == Form::force_switch) return use(std::integral_constant<Form, Form::force_switch>{});
    if (form == Form::potential_switch) return use(std::integral_constant<Form, Form::potential_switch>{});
    if (form == Form::ewald) return use(std::integral_constant<Form, Form::ewald>{});
    return use(std::integral_constant<Form, Form::plain>{});
}

/// NonbondedConstants in the arithmetic of a kernel. Coulomb: charges carry sqrt(coulomb_factor).
template <class S>
struct Constants {
    S two_k_rf, k_rf, c_rf;
    S rc2_coulomb, rc2_vdw;
    S r1_coulomb, r1_vdw;
    S a1, b1, c1, a6, b6, c6, a12, b12, c12; // force switches
    S shift6, shift12;
    S s3_coulomb, s4_coulomb, s5_coulomb, s3_vdw, s4_vdw, s5_vdw; // potential switch: 1 + s3 d^3 + s4 d^4 + s5 d^5
    // PairPolynomial, in s = r^2 inverse_rc2 - 1/2; the energy with the shift of the potential
    static constexpr int max_degree = 22;
    int degree = 0; // of ewald_force
    S inverse_rc2;
    S ewald_force[max_degree + 1], ewald_energy[max_degree + 2];

    explicit Constants(const NonbondedConstants& n)
    {
        const auto set = [](S& target, double value) { target = static_cast<S>(value); };
        set(k_rf, n.k_rf);
        set(two_k_rf, 2.0 * n.k_rf);
        set(c_rf, n.c_rf);
        set(rc2_coulomb, n.r_coulomb * n.r_coulomb);
        set(rc2_vdw, n.r_vdw * n.r_vdw);
        set(r1_coulomb, n.r_coulomb_switch);
        set(r1_vdw, n.r_vdw_switch);
        set(a1, n.coulomb.a);
        set(b1, n.coulomb.b);
        set(c1, n.coulomb.c);
        set(a6, n.dispersion.a);
        set(b6, n.dispersion.b);
        set(c6, n.dispersion.c);
        set(a12, n.repulsion.a);
        set(b12, n.repulsion.b);
        set(c12, n.repulsion.c);
        set(shift6, n.dispersion_shift);
        set(shift12, n.repulsion_shift);
        const auto set_switch = [&set](S& s3, S& s4, S& s5, double width) {
            set(s3, -10.0 / (width * width * width));
            set(s4, 15.0 / (width * width * width * width));
            set(s5, -6.0 / (width * width * width * width * width));
        };
        set_switch(s3_coulomb, s4_coulomb, s5_coulomb, n.r_coulomb - n.r_coulomb_switch);
        set_switch(s3_vdw, s4_vdw, s5_vdw, n.r_vdw - n.r_vdw_switch);
        set(inverse_rc2, 1.0 / (n.r_coulomb * n.r_coulomb));
        for (S& g : ewald_force) g = S(0);
        for (S& e : ewald_energy) e = S(0);
        if (!n.mesh) return;
        degree = static_cast<int>(n.mesh->pair.force.size()) - 1;
        for (int p = 0; p <= degree; ++p) set(ewald_force[p], n.mesh->pair.force[static_cast<std::size_t>(p)]);
        for (int p = 0; p <= degree + 1; ++p) set(ewald_energy[p], n.mesh->pair.energy[static_cast<std::size_t>(p)]);
        set(ewald_energy[0], n.mesh->pair.energy[0] - n.mesh->potential_shift);
    }
};

template <class T, class S>
HOLON_INLINE T beyond(T r, S r1)
{
    const T d = r - r1;
    return select(d > S(0), d, d - d);
}

/// sum_p coefficients[p] s^p.
template <class T, class S>
HOLON_INLINE T polynomial(const S* coefficients, int degree, T s)
{
    T sum = splat<T>(coefficients[degree]);
    for (int p = degree - 1; p >= 0; --p) sum = multiply_add(sum, s, splat<T>(coefficients[p]));
    return sum;
}

/// What plain or ewald add to 1/r^3.
template <Form form, class T, class S>
HOLON_INLINE T smooth_part(T r2, const Constants<S>& k)
{
    static_assert(form == Form::plain || form == Form::ewald);
    if constexpr (form == Form::plain) return splat<T>(-k.two_k_rf);
    const T s = multiply_add(r2, splat<T>(k.inverse_rc2), splat<T>(S(-0.5)));
    return polynomial(k.ewald_force, k.degree, s);
}

/// F/r of Coulomb for a product of charges.
template <Form form, class T, class S>
HOLON_INLINE T coulomb_force(T r2, T rinv, T qq, const Constants<S>& k)
{
    const T rinv2 = rinv * rinv;
    if constexpr (form == Form::plain || form == Form::ewald)
        return qq * multiply_add(rinv, rinv2, smooth_part<form>(r2, k));
    const T d = beyond(r2 * rinv, k.r1_coulomb);
    if constexpr (form == Form::force_switch) return qq * rinv * (rinv2 + d * d * (k.a1 + k.b1 * d));
    const T s = S(1) + d * d * d * (k.s3_coulomb + d * (k.s4_coulomb + d * k.s5_coulomb));
    const T ds = d * d * (S(3) * k.s3_coulomb + d * (S(4) * k.s4_coulomb + d * (S(5) * k.s5_coulomb)));
    return qq * rinv2 * (rinv * s - ds);
}

/// F/r of Lennard-Jones, c12/r^12 - c6/r^6, from 1/r^2, 6 c6 and 12 c12.
template <class T>
HOLON_INLINE T plain_vdw_force(T rinv2, T six_c6, T twelve_c12)
{
    const T rinv6 = rinv2 * rinv2 * rinv2;
    return multiply_add(twelve_c12, rinv6, -six_c6) * (rinv6 * rinv2);
}

/// The same of any form.
template <Form form, class T, class S>
HOLON_INLINE T vdw_force(T r2, T rinv, T six_c6, T twelve_c12, const Constants<S>& k)
{
    const T rinv2 = rinv * rinv;
    if constexpr (form == Form::plain) return plain_vdw_force(rinv2, six_c6, twelve_c12);
    const T rinv6 = rinv2 * rinv2 * rinv2;
    const T d = beyond(r2 * rinv, k.r1_vdw);
    const T c6 = six_c6 * S(1.0 / 6.0), c12 = twelve_c12 * S(1.0 / 12.0);
    if constexpr (form == Form::force_switch) {
        const T d2 = d * d;
        return twelve_c12 * (rinv6 * rinv6 * rinv2) + c12 * (d2 * (k.a12 + k.b12 * d) * rinv) -
               (six_c6 * (rinv6 * rinv2) + c6 * (d2 * (k.a6 + k.b6 * d) * rinv));
    }
    const T s = S(1) + d * d * d * (k.s3_vdw + d * (k.s4_vdw + d * k.s5_vdw));
    const T ds = d * d * (S(3) * k.s3_vdw + d * (S(4) * k.s4_vdw + d * (S(5) * k.s5_vdw)));
    return (twelve_c12 * rinv6 - six_c6) * rinv6 * rinv2 * s - (c12 * rinv6 - c6) * rinv6 * ds * rinv;
}

template <class T>
HOLON_INLINE T distance2(T dx, T dy, T dz)
{
    return multiply_add(dz, dz, multiply_add(dy, dy, dx * dx));
}

/// 1/sqrt within 8e-7: the same bits on any processor, unlike the hardware's estimates. Integer seed and two Newton
/// steps, their constants chosen so that the error is as often positive as negative after each (C. J. Walczyk, L. V.
/// Moroz, J. L. Cieslinski, Entropy 23, 86 (2021)). T: float or a vector of them, I: the integers of the same size.
template <class T, class I>
HOLON_INLINE T inverse_sqrt(T x, I bits)
{
    const I seed = 0x5f375cde - (bits >> 1);
    const T half = -0.5F * x;
    T y = same_bits<T>(seed);
    y = y * multiply_add(half * y, y, splat<T>(1.5009F));
    return y * multiply_add(half * y, y, splat<T>(1.5000006077F));
}

/// x^-3/2 = y^3 (1 - e)^-3/2 as a product of two, within 6e-7, the same bits on any processor. y: an integer seed,
/// which leaves |e| = |1 - x y^2| < 0.071. The second factor is a polynomial of least relative error (2.4e-7) there.
template <class T>
struct InverseCube {
    T y3, factor;
};
template <class T, class I>
HOLON_INLINE InverseCube<T> inverse_cube(T x, I bits)
{
    const I seed = 0x5f370000 - (bits >> 1);
    const T y = same_bits<T>(seed);
    const T y2 = y * y, e = multiply_add(-x, y2, splat<T>(1.0F));
    constexpr float c[] = {1.0F, 1.4999825F, 1.8748573F, 2.2028544F, 2.514927F};
    return {y2 * y, polynomial(c, 4, e)};
}

/// 1/(unit x) = y (1 - e)^-1 / unit likewise, within 1.5e-7; |e| = |1 - x y| < 0.051. The unit is 2^-unit_bits.
template <int unit_bits, class T, class I>
HOLON_INLINE T inverse(T x, I bits)
{
    constexpr float unit = 1.0F / static_cast<float>(std::int64_t{1} << unit_bits);
    const I seed = 0x7ef311c2 - bits;
    const T y = same_bits<T>(seed);
    const T e = multiply_add(-x, y, splat<T>(1.0F));
    constexpr float c[] = {1.0F / unit, 0.99999797F / unit, 0.99999797F / unit, 1.0031973F / unit, 1.0031973F / unit};
    return y * polynomial(c, 4, e);
}

/// One more step in double takes it from 8e-7 to 1e-12.
template <class T>
HOLON_INLINE T refine_inverse_sqrt(T x, T y)
{
    return y * (1.5 - 0.5 * x * y * y);
}

/// Energies, in double always: the sums of many terms of both signs.
template <Form form, class T>
HOLON_INLINE T coulomb_energy(T r2, T rinv, T qq, const Constants<double>& k)
{
    if constexpr (form == Form::ewald)
        return qq * (rinv + polynomial(k.ewald_energy, k.degree + 1, r2 * k.inverse_rc2 - 0.5));
    if constexpr (form == Form::plain) return qq * (rinv + k.k_rf * r2 - k.c_rf);
    const T d = beyond(r2 * rinv, k.r1_coulomb);
    if constexpr (form == Form::force_switch) return qq * (rinv - d * d * d * (k.a1 / 3.0 + d * (k.b1 / 4.0)) - k.c1);
    return qq * rinv * (1.0 + d * d * d * (k.s3_coulomb + d * (k.s4_coulomb + d * k.s5_coulomb)));
}

template <Form form, class T>
HOLON_INLINE T vdw_energy(T r2, T rinv, T c6, T c12, const Constants<double>& k)
{
    const T rinv2 = rinv * rinv;
    const T rinv6 = rinv2 * rinv2 * rinv2;
    if constexpr (form == Form::plain) return c12 * (rinv6 * rinv6 - k.shift12) - c6 * (rinv6 - k.shift6);
    const T d = beyond(r2 * rinv, k.r1_vdw);
    if constexpr (form == Form::force_switch) {
        const T d3 = d * d * d;
        return c12 * (rinv6 * rinv6 - d3 * (k.a12 / 3.0 + d * (k.b12 / 4.0)) - k.c12) -
               c6 * (rinv6 - d3 * (k.a6 / 3.0 + d * (k.b6 / 4.0)) - k.c6);
    }
    return (c12 * rinv6 - c6) * rinv6 * (1.0 + d * d * d * (k.s3_vdw + d * (k.s4_vdw + d * k.s5_vdw)));
}

} // namespace holon::pair
