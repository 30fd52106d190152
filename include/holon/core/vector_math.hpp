#pragma once

#include <holon/core/wide_vector.hpp>

/// Arithmetic on vectors and on plain numbers, written out so that all instruction sets give the same bits.
namespace holon {

HOLON_INLINE float multiply_add(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
HOLON_INLINE double multiply_add(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/// a b + c in each lane, rounded once; slow where the processor has no such instruction.
template <class V>
HOLON_INLINE V multiply_add(V a, V b, V c)
{
    if constexpr (is_wide<V>) {
        return {multiply_add(a.low, b.low, c.low), multiply_add(a.high, b.high, c.high)};
    } else {
        [[maybe_unused]] constexpr bool is_float = std::is_same_v<NumberOf<V>, float>;
#if defined(__AVX512F__)
        if constexpr (is_float && sizeof(V) == 64) return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
        if constexpr (!is_float && sizeof(V) == 64) return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
#if defined(__FMA__)
        if constexpr (is_float && sizeof(V) == 32) return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
        if constexpr (!is_float && sizeof(V) == 32) return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
        NumberOf<V> sums[lanes_in<V>];
        for (int l = 0; l < lanes_in<V>; ++l) sums[l] = multiply_add(a[l], b[l], c[l]);
        return load<V>(sums);
    }
}

HOLON_INLINE double square_root(double x)
{
    return __builtin_sqrt(x);
}
HOLON_INLINE float square_root(float x)
{
    return __builtin_sqrtf(x);
}
template <class V>
HOLON_INLINE V square_root(V x)
{
    if constexpr (is_wide<V>) {
        return {square_root(x.low), square_root(x.high)};
    } else {
        [[maybe_unused]] constexpr bool is_float = std::is_same_v<NumberOf<V>, float>;
#if defined(__AVX512F__)
        if constexpr (!is_float && sizeof(V) == 64) return (V)_mm512_sqrt_pd((__m512d)x);
#endif
#if defined(__AVX__)
        if constexpr (!is_float && sizeof(V) == 32) return (V)_mm256_sqrt_pd((__m256d)x);
        if constexpr (is_float && sizeof(V) == 32) return (V)_mm256_sqrt_ps((__m256)x);
#endif
        NumberOf<V> roots[lanes_in<V>];
        for (int l = 0; l < lanes_in<V>; ++l) roots[l] = square_root(x[l]);
        return load<V>(roots);
    }
}

/// 1 / sqrt(x) of doubles within the range of floats, but for the last bits: from a root and a quotient of floats,
/// which cost a third of those of doubles, by one step of third order.
template <class V>
HOLON_INLINE V inverse_root(V x)
{
    if constexpr (is_wide<V>) {
        return {inverse_root(x.low), inverse_root(x.high)};
    } else {
        using Floats = Vector<float, lanes_in<V>>;
        const V y = converted<V>(1.0f / square_root(converted<Floats>(x)));
        const V left = multiply_add(-(x * y), y, splat<V>(1.0));
        return multiply_add(y * left, multiply_add(left, splat<V>(0.375), splat<V>(0.5)), y);
    }
}

/// The lower halves of 64-bit numbers, multiplied.
template <class VI>
HOLON_INLINE VI product_of_low_halves(VI a, VI b)
{
    if constexpr (is_wide<VI>) {
        return {product_of_low_halves(a.low, b.low), product_of_low_halves(a.high, b.high)};
    } else {
#if defined(__AVX512F__)
        if constexpr (sizeof a == 64) return (VI)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#endif
#if defined(__AVX2__)
        if constexpr (sizeof a == 32) return (VI)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#endif
#if defined(__SSE2__)
        if constexpr (sizeof a == 16) return (VI)_mm_mul_epu32((__m128i)a, (__m128i)b);
#endif
        const VI half = splat<VI>(0xffffffff);
        return (a & half) * (b & half);
    }
}

/// 64-bit integers as doubles, rounded once: 2^32 times the upper half plus the lower one, each of which is exact.
template <class V, class VI>
HOLON_INLINE V to_doubles(VI n)
{
#if defined(__AVX512DQ__)
    return converted<V>(n);
#else
    // Bits of 2^84 and 2^52, whose last places are the units of the halves; what makes the upper half positive is 2^63.
    using Unsigned = Vector<std::uint64_t, lanes_in<VI>>;
    const VI upper = (VI)((Unsigned)n >> 32) ^ splat<VI>(0x4530000080000000);
    const VI lower = (n & splat<VI>(0xffffffff)) | splat<VI>(0x4330000000000000);
    return ((V)upper - splat<V>(0x1p84 + 0x1p63 + 0x1p52)) + (V)lower;
#endif
}

/// |x| of doubles.
template <class V>
HOLON_INLINE V magnitude(V x)
{
    using VI = Vector<std::int64_t, lanes_in<V>>;
    return (V)((VI)x & splat<VI>(0x7fffffffffffffff));
}

/// Zero where no bit of `mask` is set, x where all are.
template <class VI, class V>
HOLON_INLINE V kept_where(VI mask, V x)
{
    return (V)((VI)x & mask);
}

template <class VI, class V>
HOLON_INLINE VI round_to_integers(V x);
/// The same of doubles below 2^51.
template <class VI, class V>
HOLON_INLINE VI round_small(V x)
{
    static_assert(sizeof(NumberOf<V>) == 8);
#if defined(__AVX512DQ__)
    return round_to_integers<VI>(x);
#else
    const V magic = splat<V>(0x1.8p52); // where units are the last bits of x + magic, these are the integer
    return (VI)(x + magic) - (VI)magic;
#endif
}

/// Nearest integer in each lane, ties to even: odd-symmetric. |x| must fit.
template <class VI, class V>
HOLON_INLINE VI round_to_integers(V x)
{
    if constexpr (is_wide<V>) {
        using Half = decltype(VI{}.low);
        return {round_to_integers<Half>(x.low), round_to_integers<Half>(x.high)};
    } else {
        constexpr bool is_float = std::is_same_v<NumberOf<V>, float>;
#if defined(__AVX512DQ__)
        if constexpr (is_float && sizeof(V) == 64) return (VI)_mm512_cvtps_epi32((__m512)x);
        if constexpr (!is_float && sizeof(V) == 64) return (VI)_mm512_cvtpd_epi64((__m512d)x);
#endif
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
        if constexpr (!is_float && sizeof(V) == 32) return (VI)_mm256_cvtpd_epi64((__m256d)x);
#endif
#if defined(__AVX2__)
        if constexpr (is_float && sizeof(V) == 32) return (VI)_mm256_cvtps_epi32((__m256)x);
#endif
        if constexpr (!is_float) {
            if (!any_bit(!(magnitude(x) < 0x1p51))) return round_small<VI>(x);
        }
        NumberOf<VI> integers[lanes_in<V>];
        for (int l = 0; l < lanes_in<V>; ++l) integers[l] = static_cast<NumberOf<VI>>(__builtin_llrint(x[l]));
        return load<VI>(integers);
    }
}

/// round_to_int_clamped() in each lane, or with another bound.
template <class VI, class V>
HOLON_INLINE VI round_clamped(V x, double limit = 0x1p58)
{
    const V bound = splat<V>(limit);
    const V below = select(x < bound, x, bound); // NaN becomes the bound
    return round_to_integers<VI>(select(below > -bound, below, -bound));
}

/// table[index] in each lane, by 32-bit indices.
template <class V, class VI>
HOLON_INLINE V look_up(const NumberOf<V>* table, VI index)
{
    using Number = NumberOf<V>;
    [[maybe_unused]] constexpr bool is_float = std::is_same_v<Number, float>;
#if defined(__AVX512F__)
    if constexpr (is_float && sizeof(V) == 64) return (V)_mm512_i32gather_ps((__m512i)index, table, sizeof(Number));
    if constexpr (sizeof(Number) == 8 && sizeof(V) == 64)
        return (V)_mm512_i32gather_epi64((__m256i)index, table, sizeof(Number));
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(Number) == 8 && is_wide<V>) {
        using Half = decltype(V{}.low);
        return {look_up<Half>(table, low_half(index)), look_up<Half>(table, high_half(index))};
    }
    if constexpr (sizeof(Number) == 8 && sizeof(V) == 32) // a gather takes as many operations on some, or more
        return V{table[index[0]], table[index[1]], table[index[2]], table[index[3]]};
    if constexpr (std::is_same_v<Number, std::int32_t> && sizeof(V) == 32)
        return (V)_mm256_i32gather_epi32(table, (__m256i)index, sizeof(Number));
#endif
    Number values[lanes_in<V>];
    for (int l = 0; l < lanes_in<V>; ++l) values[l] = table[index[l]];
    return load<V>(values);
}

} // namespace holon
