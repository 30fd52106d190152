#include <holon/core/three.hpp>
#include <holon/core/vector_math.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

using namespace holon;

namespace {

/// n numbers: start, start + step, ...
template <class T, int n>
Vector<T, n> sequence(T start, T step)
{
    T numbers[n];
    for (int l = 0; l < n; ++l) numbers[l] = start + static_cast<T>(l) * step;
    return load<Vector<T, n>>(numbers);
}

/// Every number of lanes has the processor's own vectors, one Wide or several inside each other among them.
template <class V>
class WideVector : public ::testing::Test {
};
using Vectors = ::testing::Types<Vector<float, 4>, Vector<float, 8>, Vector<float, 16>, Vector<float, 32>,
                                 Vector<double, 2>, Vector<double, 4>, Vector<double, 8>, Vector<double, 32>>;
TYPED_TEST_SUITE(WideVector, Vectors);

TYPED_TEST(WideVector, does_in_each_lane_what_is_done_with_a_number)
{
    using V = TypeParam;
    using T = NumberOf<V>;
    constexpr int n = lanes_in<V>;
    const auto a = sequence<T, n>(T(-1.25), T(0.75)), b = sequence<T, n>(T(3), T(-0.375));
    const auto less = a < b;
    const V sum = a + b, product = T(2) * a * b, quotient = a / (b * b + T(1)), negative = -a,
            smaller = select(less, a, b);
    const V fused = multiply_add(a, b, product);
    V changed = a;
    changed -= b;
    for (int l = 0; l < n; ++l) {
        const T x = T(-1.25) + T(l) * T(0.75), y = T(3) + T(l) * T(-0.375);
        EXPECT_EQ(a[l], x);
        EXPECT_EQ(sum[l], x + y);
        EXPECT_EQ(product[l], T(2) * x * y);
        EXPECT_EQ(quotient[l], x / (y * y + T(1)));
        EXPECT_EQ(negative[l], -x);
        EXPECT_EQ(smaller[l], x < y ? x : y);
        EXPECT_EQ(less[l], x < y ? -1 : 0);
        EXPECT_EQ(fused[l], std::fma(x, y, T(2) * x * y));
        EXPECT_EQ(changed[l], x - y);
    }
}

TYPED_TEST(WideVector, comes_from_memory_and_goes_back)
{
    using V = TypeParam;
    constexpr int n = lanes_in<V>;
    NumberOf<V> numbers[n + 1], stored[n + 1] = {};
    std::iota(numbers, numbers + n + 1, NumberOf<V>(1));
    store(stored + 1, load<V>(numbers));
    EXPECT_EQ(stored[0], 0);
    for (int l = 0; l < n; ++l) EXPECT_EQ(stored[l + 1], numbers[l]);
    const V all = splat<V>(NumberOf<V>(2.5));
    for (int l = 0; l < n; ++l) EXPECT_EQ(all[l], NumberOf<V>(2.5));
}

TYPED_TEST(WideVector, halves_make_a_whole)
{
    using V = TypeParam;
    constexpr int n = lanes_in<V>;
    const V v = sequence<NumberOf<V>, n>(1, 1);
    const auto low = low_half(v), high = high_half(v);
    for (int l = 0; l < n / 2; ++l) {
        EXPECT_EQ(low[l], v[l]);
        EXPECT_EQ(high[l], v[n / 2 + l]);
    }
    const V swapped = joined<V>(high, low);
    for (int l = 0; l < n; ++l) EXPECT_EQ(swapped[l], v[(l + n / 2) % n]);
}

TEST(WideVectors, lanes_are_taken_from_two_vectors_in_any_order)
{
    using I8 = Vector<std::int64_t, 8>;
    const I8 a = {0, 1, 2, 3, 4, 5, 6, 7}, b = {8, 9, 10, 11, 12, 13, 14, 15};
    const I8 every_third = shuffled<0, 3, 6, 9, 12, 15, 1, 14>(a, b), one = shuffled<5, 5, 5, 5, 5, 5, 5, 5>(a, b),
             crossed = shuffled<0, 1, 2, 3, 8, 9, 10, 11>(a, b), mixed = shuffled<7, 8, 6, 9, 0, 15, 1, 14>(a, b);
    const std::int64_t wanted[4][8] = {
        {0, 3, 6, 9, 12, 15, 1, 14}, {5, 5, 5, 5, 5, 5, 5, 5}, {0, 1, 2, 3, 8, 9, 10, 11}, {7, 8, 6, 9, 0, 15, 1, 14}};
    for (int l = 0; l < 8; ++l) {
        EXPECT_EQ(every_third[l], wanted[0][l]);
        EXPECT_EQ(one[l], wanted[1][l]);
        EXPECT_EQ(crossed[l], wanted[2][l]);
        EXPECT_EQ(mixed[l], wanted[3][l]);
    }
}

/// first, first + 1, ... n of them, then as many from `second` on.
template <int first, int second, class V, int... lane>
V two_runs(V a, V b, std::integer_sequence<int, lane...>)
{
    return shuffled<(first + lane)..., (second + lane)...>(a, b);
}

TYPED_TEST(WideVector, halves_of_two_are_put_together)
{
    using V = TypeParam;
    using T = NumberOf<V>;
    constexpr int n = lanes_in<V>, half = n / 2;
    constexpr std::make_integer_sequence<int, half> run{};
    const auto a = sequence<T, n>(0, 1), b = sequence<T, n>(n, 1);
    const V low = two_runs<0, n>(a, b, run), high = two_runs<half, n + half>(a, b, run),
            inner = two_runs<half, n>(a, b, run), outer = two_runs<0, n + half>(a, b, run);
    for (int l = 0; l < n; ++l) {
        const int in_half = l % half, second = l < half ? 0 : 1;
        EXPECT_EQ(low[l], T(in_half + n * second));
        EXPECT_EQ(high[l], T(in_half + half + n * second));
        EXPECT_EQ(inner[l], T(in_half + half + half * second));
        EXPECT_EQ(outer[l], T(in_half + (n + half) * second));
    }
}

TEST(WideVectors, numbers_change_their_type_and_keep_their_bits)
{
    using F8 = Vector<double, 8>;
    using F8s = Vector<float, 8>;
    using I8 = Vector<std::int64_t, 8>;
    const F8 v = sequence<double, 8>(-3.5, 1.0);
    const auto narrow = converted<F8s>(v);
    const auto back = converted<F8>(narrow);
    const I8 bits = (I8)v, even = round_to_integers<I8>(v);
    for (int l = 0; l < 8; ++l) {
        EXPECT_EQ(narrow[l], static_cast<float>(v[l]));
        EXPECT_EQ(back[l], v[l]);
        EXPECT_EQ(bits[l], __builtin_bit_cast(std::int64_t, v[l]));
        EXPECT_EQ(even[l], std::llrint(v[l]));
        EXPECT_EQ(((F8)bits)[l], v[l]);
        EXPECT_EQ((bits >> 52)[l], bits[l] >> 52);
        EXPECT_EQ((~bits & 0xff)[l], ~bits[l] & 0xff);
        EXPECT_EQ((!even)[l], even[l] == 0 ? -1 : 0);
    }
}

template <class To, class From, int n>
void expect_converted(From start, From step)
{
    const auto v = sequence<From, n>(start, step);
    const auto w = converted<Vector<To, n>>(v);
    for (int l = 0; l < n; ++l) EXPECT_EQ(w[l], static_cast<To>(v[l])) << n;
}
template <int n>
void expect_all_converted()
{
    expect_converted<double, float, n>(-1e30F, 1.7e29F);
    expect_converted<float, double, n>(-1e30, 1.7e29);
    expect_converted<double, std::int32_t, n>(-1100000000, 67108859);
    expect_converted<float, std::int32_t, n>(-1100000000, 67108859);
    expect_converted<std::int64_t, std::int32_t, n>(-1100000000, 67108859);
    expect_converted<std::int32_t, std::int64_t, n>(-0x123456789abcdef, 0x1020304050607);
    expect_converted<std::int32_t, std::uint64_t, n>(0xfedcba9876543210, 0x1020304050607);
}

TEST(WideVectors, any_number_of_lanes_is_converted)
{
    expect_all_converted<4>();
    expect_all_converted<8>();
    expect_all_converted<16>();
    expect_all_converted<32>();
}

TEST(WideVectors, any_bit_is_found_in_any_lane)
{
    using I16 = Vector<std::int32_t, 16>;
    EXPECT_FALSE(any_bit(I16{}));
    for (int l = 0; l < 16; ++l) {
        std::int32_t numbers[16] = {};
        numbers[l] = 1 << (2 * l);
        EXPECT_TRUE(any_bit(load<I16>(numbers))) << l;
    }
}

TEST(WideVectors, comparisons_give_a_bit_for_each_lane)
{
    using F4 = Vector<double, 4>;
    using F16 = Vector<float, 16>;
    EXPECT_EQ(lane_bits((Vector<std::int64_t, 4>)(F4{1.0, -1.0, 0.0, 3.0} > 0.0)), 0b1001U);
    for (int l = 0; l < 16; ++l) {
        float numbers[16] = {};
        numbers[l] = -1.0F;
        EXPECT_EQ(lane_bits((Vector<std::int32_t, 16>)(load<F16>(numbers) < 0.0F)), 1U << l);
    }
}

TEST(WideVectors, integers_of_any_size_become_doubles_rounded_once)
{
    using I8 = Vector<std::int64_t, 8>;
    using F8 = Vector<double, 8>;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), tie = (std::int64_t{1} << 53) + 1;
    const I8 examples[] = {{0, 1, -1, most, -most - 1, most - 1, 1 - most, 0x7fffffff},
                           {tie, -tie, tie + 2, -tie - 2, 2 * tie + 1, -2 * tie - 1, most / 3, most / -7},
                           {0xffffffff, -0xffffffff, std::int64_t{1} << 32, -(std::int64_t{1} << 32), 0x80000000,
                            -0x80000000, 0x123456789abcdef, -0x123456789abcdef}};
    for (const I8& n : examples) {
        const F8 real = to_doubles<F8>(n);
        for (int l = 0; l < 8; ++l) EXPECT_EQ(real[l], static_cast<double>(n[l]));
    }
}

TEST(WideVectors, doubles_become_the_nearest_integers)
{
    using I8 = Vector<std::int64_t, 8>;
    using F8 = Vector<double, 8>;
    const double below = std::nextafter(0x1p51, 0.0);
    const F8 small = {0.5, -0.5, 1.5, -2.5, below, -below, 1e-300, -12345.678};
    const F8 large = {0x1p51, -0x1p51, 0x1p62, -0x1p62, 3.5e15, -4.25e14, 2.5, -0.0};
    const Three<I8> three = round_to_integers<I8>(Three<F8>{small, large, -small});
    const I8 of_small = round_small<I8>(small);
    for (int l = 0; l < 8; ++l) {
        EXPECT_EQ(of_small[l], std::llrint(small[l]));
        EXPECT_EQ(three.x[l], std::llrint(small[l]));
        EXPECT_EQ(three.y[l], std::llrint(large[l]));
        EXPECT_EQ(three.z[l], -std::llrint(small[l]));
    }
}

TEST(WideVectors, rows_of_three_become_columns_and_go_back)
{
    using I8 = Vector<std::int64_t, 8>;
    using Row = Vector<std::int64_t, 4>;
    std::int64_t numbers[24], sums[24];
    std::iota(numbers, numbers + 24, 100);
    std::iota(sums, sums + 24, 0);
    const std::int64_t first[] = {21, 3, 0, 12, 18, 6, 15, 9};
    Row rows[8], back[8];
    for (int l = 0; l < 8; ++l) rows[l] = load_row<Row>(numbers + first[l]); // the last number, and not beyond it
    const Three<I8> three = columns(rows), loaded = load_three<I8>(numbers, first);
    to_rows(three, back);
    for (int l = 0; l < 8; ++l) {
        const std::int64_t begin = 100 + first[l];
        EXPECT_EQ(three.x[l], begin);
        EXPECT_EQ(three.y[l], begin + 1);
        EXPECT_EQ(three.z[l], begin + 2);
        EXPECT_EQ(loaded.x[l], begin);
        EXPECT_EQ(loaded.y[l], begin + 1);
        EXPECT_EQ(loaded.z[l], begin + 2);
        add_to_row(sums + first[l], back[l]);
    }
    for (int k = 0; k < 24; ++k) EXPECT_EQ(sums[k], 100 + 2 * k);
}

} // namespace
