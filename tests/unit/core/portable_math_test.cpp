// The elementary functions against those of the C library in higher precision, and their very bits: on any processor,
// with any compiler.
#include <holon/core/portable_math.hpp>

#include <holon/core/random.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace holon {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Long = long double; // with no more digits than double somewhere: the errors below then are one place larger

/// Calls use(x) for numbers all over an interval.
template <class Use>
void for_each_in(double from, double to, Use use)
{
    const Philox random(7);
    for (std::uint32_t i = 0; i < 20000; ++i)
        for (const double u : uniform_pair(random(0, i, 0))) use(from + (to - from) * u);
}

/// The largest error in an interval, in units of the last place.
template <class Function, class Exact>
double error_of(Function function, Exact exact, double from, double to)
{
    double largest = 0.0;
    for_each_in(from, to, [&](double x) {
        const Long expected = exact(static_cast<Long>(x));
        const double place = std::ldexp(1.0, std::ilogb(static_cast<double>(expected)) - 52);
        largest = std::max(largest, std::abs(static_cast<double>(function(x) - expected)) / place);
    });
    return largest;
}

/// All bits of a function's values in an interval.
template <class Function>
std::uint64_t bits_of(Function function, double from, double to)
{
    std::uint64_t hash = 0;
    for_each_in(from, to, [&](double x) {
        hash = (hash ^ std::bit_cast<std::uint64_t>(function(x))) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    });
    return hash;
}

#define HOLON_EXPECT_ERROR(name, limit, from, to)                                                                      \
    EXPECT_LE(error_of([](double x) { return portable::name(x); }, [](Long x) { return std::name(x); }, from, to),     \
              limit)

TEST(PortableMath, IsAsAccurateAsItSays)
{
    HOLON_EXPECT_ERROR(exp, 1.0, -1.0, 1.0);
    HOLON_EXPECT_ERROR(exp, 1.0, -700.0, 700.0);
    HOLON_EXPECT_ERROR(expm1, 2.0, -1e-3, 1e-3);
    HOLON_EXPECT_ERROR(expm1, 4.0, -3.0, 3.0);
    HOLON_EXPECT_ERROR(log, 1.0, 0.0, 1.0);
    HOLON_EXPECT_ERROR(log, 1.0, 0.9, 1.1);
    HOLON_EXPECT_ERROR(log, 1.0, 1.0, 1e10);
    HOLON_EXPECT_ERROR(sin, 1.0, -7.0, 7.0);
    HOLON_EXPECT_ERROR(cos, 1.0, -7.0, 7.0);
    HOLON_EXPECT_ERROR(sin, 1.0, -1e6, 1e6);
    HOLON_EXPECT_ERROR(cos, 1.0, -1e6, 1e6);
    HOLON_EXPECT_ERROR(erf, 4.0, -1.0, 1.0);
    HOLON_EXPECT_ERROR(erf, 4.0, 1.0, 6.0);
    HOLON_EXPECT_ERROR(erfc, 16.0, -1.0, 1.0);
    HOLON_EXPECT_ERROR(erfc, 5.0, 1.0, 20.0);
}

TEST(PortableMath, PowersAndRootsAreRoundedOnce)
{
    for (const int n : {-12, -6, -1, 0, 1, 2, 8, 14}) {
        const auto power = [n](double x) { return portable::power(x, n); };
        EXPECT_LE(error_of(
                      power, [n](Long x) { return std::pow(x, static_cast<Long>(n)); }, 0.5, 2.0),
                  0.51)
            << n;
    }
    for (const int n : {2, 3, 6}) {
        const auto root = [n](double x) { return portable::root(x, n); };
        EXPECT_LE(error_of(
                      root, [n](Long x) { return std::pow(x, Long(1) / n); }, 1e-6, 100.0),
                  0.51)
            << n;
    }
    EXPECT_EQ(portable::root(0.0, 6), 0.0);
    EXPECT_EQ(portable::power(-2.0, 3), -8.0);
}

TEST(PortableMath, TurnsAreExactAtQuarters)
{
    for (int k = -8; k <= 8; ++k) {
        const auto [sine, cosine] = portable::sine_cosine_of_turns(0.25 * k);
        EXPECT_EQ(sine, k % 2 == 0 ? 0.0 : (k & 2) == 0 ? 1.0 : -1.0) << k;
        EXPECT_EQ(cosine, k % 2 != 0 ? 0.0 : (k & 2) == 0 ? 1.0 : -1.0) << k;
    }
    for_each_in(-3.0, 3.0, [](double x) {
        const auto [sine, cosine] = portable::sine_cosine_of_turns(x);
        const Long angle = 2 * std::numbers::pi_v<Long> * (static_cast<Long>(x) - std::nearbyint(x));
        ASSERT_NEAR(sine, static_cast<double>(std::sin(angle)), 1.2e-16);
        ASSERT_NEAR(cosine, static_cast<double>(std::cos(angle)), 1.2e-16);
    });
}

TEST(PortableMath, EndsWhereNumbersEnd)
{
    EXPECT_EQ(portable::exp(710.0), infinity);
    EXPECT_EQ(portable::exp(-infinity), 0.0);
    EXPECT_EQ(portable::exp(-744.0), std::exp(-744.0)); // denormal
    EXPECT_TRUE(std::isnan(portable::exp(std::nan(""))));
    EXPECT_EQ(portable::log(0.0), -infinity);
    EXPECT_EQ(portable::log(infinity), infinity);
    EXPECT_TRUE(std::isnan(portable::log(-1.0)));
    EXPECT_NEAR(portable::log(0x1p-1070), -1070 * std::numbers::ln2, 1e-12);
    EXPECT_TRUE(std::isnan(portable::sin(infinity)));
    EXPECT_LE(std::abs(portable::cos(1e300)), 1.0);
    EXPECT_EQ(portable::erf(0.0), 0.0);
    EXPECT_EQ(portable::erf(7.0), 1.0);
    EXPECT_EQ(portable::erfc(-7.0), 2.0);
    EXPECT_EQ(portable::erfc(40.0), 0.0);
}

#define HOLON_EXPECT_BITS(expected, call, from, to)                                                                    \
    EXPECT_EQ(bits_of([](double x) { return call; }, from, to), expected) << #call

TEST(PortableMath, HasTheseBitsOnAnyProcessor)
{
    HOLON_EXPECT_BITS(0x48bf265640e8a08du, portable::exp(x), -700.0, 700.0);
    HOLON_EXPECT_BITS(0xa6fd4d87e11ffad0u, portable::expm1(x), -3.0, 3.0);
    HOLON_EXPECT_BITS(0x1f5a65de67201e17u, portable::log(x), 0.0, 10.0);
    HOLON_EXPECT_BITS(0xcd550f22e5ec2b1u, portable::sin(x), -100.0, 100.0);
    HOLON_EXPECT_BITS(0xfcdcef5068461840u, portable::cos(x), -1e6, 1e6);
    HOLON_EXPECT_BITS(0x2b9a18175e3d0ee8u, portable::sine_cosine_of_turns(x).sine, -2.0, 2.0);
    HOLON_EXPECT_BITS(0x5a9e87049fadd088u, portable::erf(x), -6.0, 6.0);
    HOLON_EXPECT_BITS(0xa6ecc5d99e7ea65bu, portable::erfc(x), -1.0, 20.0);
    HOLON_EXPECT_BITS(0x18ffe2a8df97ffe7u, portable::power(x, -12), 0.5, 2.0);
    HOLON_EXPECT_BITS(0x954d1413ceac0c26u, portable::root(x, 6), 0.0, 100.0);
}

TEST(PortableMath, NormalDeviatesHaveTheseBitsOnAnyProcessor)
{
    std::uint64_t hash = 0;
    const Philox random(3);
    for (std::uint32_t i = 0; i < 20000; ++i)
        for (const double z : normal_pair(random(1, i, 2)))
            hash = (hash ^ std::bit_cast<std::uint64_t>(z)) * 0x9e3779b97f4a7c15;
    EXPECT_EQ(hash, 0x3d1d4f39880d334cu);
}

} // namespace
} // namespace holon
