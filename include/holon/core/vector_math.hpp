#pragma once

#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Arithmetic on GCC's vector types and on plain numbers, written out so that all instruction sets give the same bits.
/// For kernels that are compiled once per instruction set: everything is inlined.
namespace holon {

#define HOLON_INLINE inline __attribute__((always_inline))

HOLON_INLINE float multiply_add(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
HOLON_INLINE double multiply_add(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/// x in each lane (of a plain number: itself). Taking zero away is what compilers know to change nothing.
template <class T, class S>
HOLON_INLINE T splat(S x)
{
    return x - T{};
}

/// The two halves of a vector.
template <class Half, class V>
HOLON_INLINE Half half_of(V v, int which)
{
    Half half[2];
    static_assert(sizeof half == sizeof v);
    __builtin_memcpy(&half, &v, sizeof v);
    return half[which];
}
template <class V, class Half>
HOLON_INLINE V joined(Half low, Half high)
{
    const Half halves[2] = {low, high};
    V v;
    static_assert(sizeof halves == sizeof v);
    __builtin_memcpy(&v, &halves, sizeof v);
    return v;
}

/// a b + c in each lane, rounded once; slow where the processor has no such instruction.
template <class V>
HOLON_INLINE V multiply_add(V a, V b, V c)
{
    [[maybe_unused]] constexpr bool is_float = sizeof(a[0]) == 4;
#if defined(__AVX512F__)
    if constexpr (is_float && sizeof(V) == 64) return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
    if constexpr (!is_float && sizeof(V) == 64) return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
#if defined(__FMA__)
    if constexpr (is_float && sizeof(V) == 32) return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    if constexpr (is_float && sizeof(V) == 64)
        return joined<V>(_mm256_fmadd_ps(half_of<__m256>(a, 0), half_of<__m256>(b, 0), half_of<__m256>(c, 0)),
                         _mm256_fmadd_ps(half_of<__m256>(a, 1), half_of<__m256>(b, 1), half_of<__m256>(c, 1)));
    if constexpr (!is_float && sizeof(V) == 64)
        return joined<V>(_mm256_fmadd_pd(half_of<__m256d>(a, 0), half_of<__m256d>(b, 0), half_of<__m256d>(c, 0)),
                         _mm256_fmadd_pd(half_of<__m256d>(a, 1), half_of<__m256d>(b, 1), half_of<__m256d>(c, 1)));
#endif
    V sum;
    for (unsigned l = 0; l < sizeof(V) / sizeof(a[0]); ++l) sum[l] = multiply_add(a[l], b[l], c[l]);
    return sum;
}

template <class V>
struct HalfOf {
    using Number = std::remove_cvref_t<decltype(V{}[0])>;
    typedef Number type __attribute__((vector_size(sizeof(V) / 2)));
};

/// compare(a, b) in each lane, all bits or none. Compilers take vectors that are wider than the processor's apart,
/// number by number; here they are halved until they fit.
template <class VI, class V, class Compare>
HOLON_INLINE VI compare_lanes(V a, V b, Compare compare)
{
#if defined(__AVX512F__)
    constexpr std::size_t native = 64;
#elif defined(__AVX2__)
    constexpr std::size_t native = 32;
#else
    constexpr std::size_t native = 16;
#endif
    if constexpr (sizeof(V) <= native) {
        return (VI)compare(a, b);
    } else {
        using Half = typename HalfOf<V>::type;
        using HalfI = typename HalfOf<VI>::type;
        return joined<VI>(compare_lanes<HalfI>(half_of<Half>(a, 0), half_of<Half>(b, 0), compare),
                          compare_lanes<HalfI>(half_of<Half>(a, 1), half_of<Half>(b, 1), compare));
    }
}

HOLON_INLINE double square_root(double x)
{
    return __builtin_sqrt(x);
}
template <class V>
HOLON_INLINE V square_root(V x)
{
    static_assert(sizeof(V) == 64 && sizeof(x[0]) == 8);
#if defined(__AVX512F__)
    return (V)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX__)
    return joined<V>(_mm256_sqrt_pd(half_of<__m256d>(x, 0)), _mm256_sqrt_pd(half_of<__m256d>(x, 1)));
#else
    for (unsigned l = 0; l < 8; ++l) x[l] = square_root(x[l]);
    return x;
#endif
}

/// 64-bit integers as doubles, rounded once: 2^32 times the upper half plus the lower one, each of which is exact.
template <class V, class VI>
HOLON_INLINE V to_doubles(VI n)
{
#if defined(__AVX512DQ__)
    return __builtin_convertvector(n, V);
#else
    const VI magic = splat<VI>(0x4330000000000000); // bits of 2^52: what is or'ed in are its units
    const VI upper = (n >> 32 & 0xffffffff) ^ 0x80000000;
    return ((V)(upper | magic) - (0x1p52 + 0x1p31)) * 0x1p32 + ((V)((n & 0xffffffff) | magic) - 0x1p52);
#endif
}

/// Whether any bit is set in a vector of 64 bytes.
template <class VI>
HOLON_INLINE bool any_bit(VI v)
{
    static_assert(sizeof v == 64);
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
#elif defined(__AVX2__)
    const __m256i either = _mm256_or_si256(half_of<__m256i>(v, 0), half_of<__m256i>(v, 1));
    return _mm256_testz_si256(either, either) == 0;
#else
    std::int64_t words[8], sum = 0;
    __builtin_memcpy(words, &v, sizeof words);
    for (const std::int64_t word : words) sum |= word;
    return sum != 0;
#endif
}

/// Nearest integer in each lane, ties to even: odd-symmetric. |x| must fit.
template <class VI, class V>
HOLON_INLINE VI round_to_integers(V x)
{
    [[maybe_unused]] constexpr bool is_float = sizeof(x[0]) == 4;
#if defined(__AVX512DQ__)
    if constexpr (is_float && sizeof(V) == 64) return (VI)_mm512_cvtps_epi32((__m512)x);
    if constexpr (!is_float && sizeof(V) == 64) return (VI)_mm512_cvtpd_epi64((__m512d)x);
#endif
#if defined(__AVX2__)
    if constexpr (is_float && sizeof(V) == 32) return (VI)_mm256_cvtps_epi32((__m256)x);
    if constexpr (is_float && sizeof(V) == 64)
        return joined<VI>(_mm256_cvtps_epi32(half_of<__m256>(x, 0)), _mm256_cvtps_epi32(half_of<__m256>(x, 1)));
#endif
    if constexpr (!is_float && sizeof(V) == 64) {
        // Where units are the last bits of x + magic, these are the integer.
        const V magic = splat<V>(0x1.8p52), size = x < 0.0 ? -x : x;
        if (!any_bit(!(size < 0x1p51))) return (VI)(x + magic) - (VI)magic;
    }
    VI rounded;
    for (unsigned l = 0; l < sizeof(V) / sizeof(x[0]); ++l)
        rounded[l] = static_cast<std::remove_reference_t<decltype(rounded[l])>>(__builtin_llrint(x[l]));
    return rounded;
}

} // namespace holon
