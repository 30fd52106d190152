#pragma once

#include <holon/core/wide_vector.hpp>

/// The formulas of portable_math.cpp on plain numbers or on vectors of doubles, with the same bits.
namespace holon::portable {

/// The nearest integer of |x| < 2^51, ties to even.
template <class F>
HOLON_INLINE F nearest(F x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

template <int n>
struct Coefficients {
    double of[n];
};

/// sum_k c_k x^k, even and odd powers apart: they need not wait for each other.
template <int n, class F>
HOLON_INLINE F polynomial(const Coefficients<n>& c, F x)
{
    const F x2 = x * x;
    F next = splat<F>(c.of[n - 1]), sum = splat<F>(c.of[n - 2]);
    for (int k = n - 3; k >= 0; --k) {
        const F before = sum;
        sum = next * x2 + c.of[k];
        next = before;
    }
    return sum + x * next;
}

/// (-1)^k / (first + 2 k)!
template <int n>
constexpr Coefficients<n> alternating_factorials(int first)
{
    Coefficients<n> c{};
    double factorial = 1.0;
    int of = 1;
    for (int k = 0; k < n; ++k) {
        while (of < first + 2 * k) factorial *= ++of;
        c.of[k] = (k % 2 == 0 ? 1.0 : -1.0) / factorial;
    }
    return c;
}
inline constexpr auto sine_series = alternating_factorials<8>(3);
inline constexpr auto cosine_series = alternating_factorials<7>(4);

template <class F>
struct SineAndCosine {
    F sine, cosine;
};

/// Of high + low, |high| <= pi/4, |low| below its last place.
template <class F>
HOLON_INLINE SineAndCosine<F> of_eighth(F high, F low)
{
    const F z = high * high;
    const F sine = high + (low * (1.0 - 0.5 * z) - high * z * polynomial(sine_series, z));
    const F most = 1.0 - 0.5 * z;
    const F cosine = most + (((1.0 - most) - 0.5 * z) + (z * z * polynomial(cosine_series, z) - high * low));
    return {sine, cosine};
}

/// The same of 2 pi x, |x| <= 1/8.
template <class F>
HOLON_INLINE SineAndCosine<F> of_eighth_turn(F x)
{
    constexpr double two_pi = 0x1.921fb54442d18p+2, two_pi_rest = 0x1.1a62633145c07p-52;
    return of_eighth<F>(two_pi * x, two_pi_rest * x);
}

// ln 2 in two parts; products of the first with integers below 2^21 are exact.
inline constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

/// Of a positive normal number its logarithm starts from the bits of the root of 1/2.
inline constexpr std::int64_t bits_of_root_of_half = __builtin_bit_cast(std::int64_t, 0x1.6a09e667f3bcdp-1);

inline constexpr auto artanh_series = [] {
    Coefficients<11> c{};
    for (int k = 0; k < 11; ++k) c.of[k] = 2.0 / (2 * k + 3);
    return c;
}();

/// log(mantissa 2^exponent), the mantissa from the root of 1/2 to that of 2:
/// log(1 + f) = 2 artanh(s) = f - s (f - 2 s^2/3 - 2 s^4/5 - ...), s = f / (2 + f), |s| < 0.172.
template <class F>
HOLON_INLINE F log_of_parts(F mantissa, F exponent)
{
    const F f = mantissa - 1.0, s = f / (2.0 + f), z = s * s;
    return exponent * ln2_high + (f - (s * (f - z * polynomial(artanh_series, z)) - exponent * ln2_low));
}

} // namespace holon::portable
