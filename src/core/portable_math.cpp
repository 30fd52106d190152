#include <holon/core/portable_math.hpp>

#include "portable_series.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace holon::portable {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A sum that is not rounded: high is the double next to it, low the rest.
struct Sum {
    double high, low;
};
Sum exact_sum(double a, double b)
{
    const double high = a + b, part = high - a;
    return {high, (a - (high - part)) + (b - part)};
}
Sum exact_product(double a, double b)
{
    const double high = a * b;
    return {high, __builtin_fma(a, b, -high)};
}

SineCosine turned(const SineAndCosine<double>& s, std::int64_t quarters)
{
    switch (quarters & 3) {
    case 0:
        return {s.sine, s.cosine};
    case 1:
        return {s.cosine, -s.sine};
    case 2:
        return {-s.sine, -s.cosine};
    default:
        return {-s.cosine, s.sine};
    }
}

constexpr double inverse_ln2 = 0x1.71547652b82fep+0;

/// r + r^2/2! + r^3/3! + ... of r = high + low, |r| <= ln(2)/2.
double exponential_series(double high, double low)
{
    static constexpr auto series = [] {
        Coefficients<13> c{}; // 1 / (k + 2)!
        double factorial = 2.0;
        for (int k = 0; k < 13; factorial *= ++k + 2) c.of[k] = 1.0 / factorial;
        return c;
    }();
    return high + (low * (1.0 + high) + high * high * polynomial(series, high));
}

/// x^n with some 100 bits.
Sum exact_power(double x, unsigned n)
{
    const auto product = [](const Sum& a, const Sum& b) {
        const Sum most = exact_product(a.high, b.high);
        return exact_sum(most.high, most.low + (a.high * b.low + a.low * b.high));
    };
    Sum square{x, 0.0}, result{1.0, 0.0};
    for (; n > 0; n >>= 1) {
        if (n & 1) result = product(result, square);
        if (n > 1) square = product(square, square);
    }
    return result;
}

/// exp(-x^2) of x >= 0; the square is not rounded.
double gaussian(double x)
{
    const Sum square = exact_product(x, x);
    const double most = exp(-square.high);
    return most - most * square.low;
}

/// The integral of 2/sqrt(pi) exp(-t^2) from 0 to x in [0, 1]: NIST DLMF 7.6.2.
double erf_series(double x)
{
    double sum = 1.0;
    for (int n = 25; n > 0; --n) sum = 1.0 + 2.0 * x * x / (2 * n + 1) * sum;
    constexpr double two_over_root_pi = 0x1.20dd750429b6dp+0;
    return two_over_root_pi * x * gaussian(x) * sum;
}

/// That from x >= 1 to infinity: NIST DLMF 7.9.1.
double erfc_fraction(double x)
{
    const int depth = 20 + static_cast<int>(200.0 / (x * x));
    double below = 0.0;
    for (int k = depth; k > 0; --k) below = 0.5 * k / (x + below);
    constexpr double one_over_root_pi = 0x1.20dd750429b6dp-1;
    return one_over_root_pi * gaussian(x) / (x + below);
}

} // namespace

double exp(double x)
{
    if (x > 709.79) return infinity;
    if (x < -746.0) return 0.0;
    if (std::isnan(x)) return x;
    const double k = nearest(x * inverse_ln2);
    const Sum rest = exact_sum(x - k * ln2_high, -k * ln2_low);
    return std::ldexp(1.0 + exponential_series(rest.high, rest.low), static_cast<int>(k));
}

double expm1(double x)
{
    return std::abs(x) < 0.34 ? exponential_series(x, 0.0) : exp(x) - 1.0;
}

double log(double x)
{
    if (!(x > 0.0)) return x == 0.0 ? -infinity : nan;
    if (x == infinity) return x;
    if (x < std::numeric_limits<double>::min()) return log(x * 0x1p54) - 54.0 * (ln2_high + ln2_low);
    const auto bits = std::bit_cast<std::int64_t>(x);
    const std::int64_t exponent_bits = (bits - bits_of_root_of_half) >> 52 << 52;
    const double mantissa = std::bit_cast<double>(bits - exponent_bits);
    return log_of_parts(mantissa, static_cast<double>(exponent_bits >> 52));
}

SineCosine sine_cosine(double x)
{
    if (!std::isfinite(x)) return {nan, nan};
    if (std::abs(x) > 1e6) x = std::fmod(x, 0x1.921fb54442d18p+2);
    // pi/2 in three parts: products of the first two with integers below 2^20 are exact.
    constexpr double high = 0x1.921fb544p+0, middle = 0x1.0b4611a6p-34, low = 0x1.3198a2e037073p-69;
    const double quarters = nearest(x * 0x1.45f306dc9c883p-1);
    const Sum rest = exact_sum(x - quarters * high, -quarters * middle);
    const Sum reduced = exact_sum(rest.high, -quarters * low);
    const Sum result = exact_sum(reduced.high, reduced.low + rest.low);
    return turned(of_eighth(result.high, result.low), static_cast<std::int64_t>(quarters));
}

double sin(double x)
{
    return sine_cosine(x).sine;
}

double cos(double x)
{
    return sine_cosine(x).cosine;
}

SineCosine sine_cosine_of_turns(double x)
{
    const double quarters = nearest(4.0 * x), rest = x - 0.25 * quarters; // exact
    return turned(of_eighth_turn(rest), static_cast<std::int64_t>(quarters));
}

double power(double x, int n)
{
    const Sum result = exact_power(x, n < 0 ? 0U - static_cast<unsigned>(n) : static_cast<unsigned>(n));
    if (n >= 0) return result.high;
    const double inverse = 1.0 / result.high;
    return inverse + inverse * (__builtin_fma(-inverse, result.high, 1.0) - inverse * result.low);
}

double root(double x, int n)
{
    if (!(x > 0.0) || x == infinity) return x;
    const double estimate = exp(log(x) / n);
    const Sum reached = exact_power(estimate, static_cast<unsigned>(n));
    return estimate + estimate * (((x - reached.high) - reached.low) / (n * x)); // a step of Newton's
}

double erf(double x)
{
    const double size = std::abs(x);
    return std::copysign(size < 1.0 ? erf_series(size) : 1.0 - erfc_fraction(size), x);
}

double erfc(double x)
{
    return x < 1.0 ? 1.0 - erf(x) : erfc_fraction(x);
}

} // namespace holon::portable
