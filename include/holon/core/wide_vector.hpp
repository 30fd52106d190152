#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// Vectors of any number of lanes on any instruction set, for kernels that are compiled once per instruction set:
/// everything is inlined.
namespace holon {

#define HOLON_INLINE inline __attribute__((always_inline))

/// Bytes of the processor's own vectors.
#if defined(__AVX512F__)
inline constexpr std::size_t native_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t native_bytes = 32;
#else
inline constexpr std::size_t native_bytes = 16;
#endif

template <class Half>
class Wide;

template <class T, int n, bool fits = n * sizeof(T) <= native_bytes>
struct VectorType {
    typedef T type __attribute__((vector_size(n * sizeof(T))));
};
template <class T, int n>
struct VectorType<T, n, false> {
    using type = Wide<typename VectorType<T, n / 2>::type>;
};

/// n numbers of type T: a vector type of the compiler's, or a Wide one with the same operations.
template <class T, int n>
using Vector = typename VectorType<T, n>::type;

template <class V>
using NumberOf = std::remove_cvref_t<decltype(std::declval<V>()[0])>;
template <class V>
inline constexpr int lanes_in = sizeof(V) / sizeof(NumberOf<V>);

/// A vector that is wider than the processor's, as two halves. Compilers have such types, too, but keep them in memory
/// and take many operations on them apart, number by number.
template <class Half>
class Wide {
public:
    using Number = NumberOf<Half>;
    static constexpr int n = 2 * lanes_in<Half>;
    Half low, high;

    Wide() = default;
    HOLON_INLINE Wide(Half l, Half h) : low(l), high(h) {}
    HOLON_INLINE Wide(Number x) : low(x - Half{}), high(x - Half{}) {}
    template <class... Numbers>
    requires(sizeof...(Numbers) == n) HOLON_INLINE Wide(Numbers... numbers)
    {
        const Number list[] = {static_cast<Number>(numbers)...};
        __builtin_memcpy(&low, list, sizeof low);
        __builtin_memcpy(&high, list + n / 2, sizeof high);
    }
    /// The same bits.
    template <class Other>
    requires(sizeof(Other) == sizeof(Half) && !std::is_same_v<Other, Half>) HOLON_INLINE explicit Wide(Wide<Other> v)
        : low((Half)v.low), high((Half)v.high)
    {
    }
    HOLON_INLINE Number operator[](int l) const { return l < n / 2 ? low[l] : high[l - n / 2]; }

#define HOLON_BINARY(op)                                                                                               \
    friend HOLON_INLINE Wide operator op(Wide a, Wide b)                                                               \
    {                                                                                                                  \
        return {a.low op b.low, a.high op b.high};                                                                     \
    }                                                                                                                  \
    HOLON_INLINE Wide& operator op##=(Wide b) /* NOLINT(bugprone-macro-parentheses) */                                 \
    {                                                                                                                  \
        return *this = *this op b;                                                                                     \
    }
    HOLON_BINARY(+)
    HOLON_BINARY(-)
    HOLON_BINARY(*)
    HOLON_BINARY(/)
    HOLON_BINARY(&)
    HOLON_BINARY(|)
    HOLON_BINARY(^)
#undef HOLON_BINARY
    // What comparisons give: compilers differ in whether they call 64 bits long or long long.
    using Mask = Vector<std::conditional_t<sizeof(Number) == 8, std::int64_t, std::int32_t>, n / 2>;
#define HOLON_COMPARE(op)                                                                                              \
    friend HOLON_INLINE Wide<Mask> operator op(Wide a, Wide b)                                                         \
    {                                                                                                                  \
        return {(Mask)(a.low op b.low), (Mask)(a.high op b.high)};                                                     \
    }
    HOLON_COMPARE(==)
    HOLON_COMPARE(!=)
    HOLON_COMPARE(<)
    HOLON_COMPARE(>)
    HOLON_COMPARE(<=)
    HOLON_COMPARE(>=)
#undef HOLON_COMPARE
    HOLON_INLINE Wide operator-() const
    {
        return {-low, -high};
    }
    HOLON_INLINE Wide operator~() const
    {
        return {~low, ~high};
    }
    HOLON_INLINE Wide<Mask> operator!() const
    {
        return *this == Wide{};
    }
    HOLON_INLINE Wide operator>>(int bits) const
    {
        return {low >> bits, high >> bits};
    }
    HOLON_INLINE Wide operator<<(int bits) const
    {
        return {low << bits, high << bits};
    }
};

template <class V>
inline constexpr bool is_wide = false;
template <class Half>
inline constexpr bool is_wide<Wide<Half>> = true;

/// A vector from memory and back. Wide ones by halves: copied as a whole they would stay in memory.
template <class V>
HOLON_INLINE V load(const void* p)
{
    if constexpr (is_wide<V>) {
        using Half = decltype(V{}.low);
        return {load<Half>(p), load<Half>(static_cast<const char*>(p) + sizeof(Half))};
    } else {
        V v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    }
}
template <class V>
HOLON_INLINE void store(void* p, V v)
{
    if constexpr (is_wide<V>) {
        store(p, v.low);
        store(static_cast<char*>(p) + sizeof v.low, v.high);
    } else {
        __builtin_memcpy(p, &v, sizeof v);
    }
}

/// The same bits as another type of the same size.
template <class To, class From>
HOLON_INLINE To same_bits(From v)
{
    if constexpr (std::is_arithmetic_v<From>)
        return __builtin_bit_cast(To, v);
    else
        return (To)v;
}

/// x in each lane (of a plain number: itself). Taking zero away is what compilers know to change nothing.
template <class T, class S>
HOLON_INLINE T splat(S x)
{
    return x - T{};
}

/// a where all bits of the condition are set, b where none are.
template <class V>
HOLON_INLINE V select(bool condition, V a, V b)
{
    return condition ? a : b;
}
template <class VI, class V>
HOLON_INLINE V select(VI condition, V a, V b)
{
    if constexpr (is_wide<V>)
        return {select(condition.low, a.low, b.low), select(condition.high, a.high, b.high)};
    else
        return condition ? a : b;
}

/// n lanes of two vectors of the compiler's, one behind the other, from `first` on.
template <int first, int n, class V>
HOLON_INLINE auto consecutive(V a, V b)
{
    const auto take = [ a, b ]<int... lane>(std::integer_sequence<int, lane...>) __attribute__((always_inline))
    {
        return __builtin_shufflevector(a, b, (first + lane)...);
    };
    return take(std::make_integer_sequence<int, n>{});
}

/// The halves of a vector, and of halves a vector. Those of 32 bytes by the instructions for one half: compilers take
/// the one that finds any two halves of two vectors, which takes eight operations on some processors.
template <class V>
HOLON_INLINE auto low_half(V v)
{
    if constexpr (is_wide<V>)
        return v.low;
    else
        return consecutive<0, lanes_in<V> / 2>(v, v);
}
template <class V>
HOLON_INLINE auto high_half(V v)
{
    if constexpr (is_wide<V>) {
        return v.high;
    } else {
#if defined(__AVX2__)
        if constexpr (sizeof v == 32) return (decltype(low_half(v)))_mm256_extracti128_si256((__m256i)v, 1);
#endif
        return consecutive<lanes_in<V> / 2, lanes_in<V> / 2>(v, v);
    }
}
template <class V, class Half>
HOLON_INLINE V joined(Half low, Half high)
{
    if constexpr (is_wide<V>) {
        return {low, high};
    } else {
#if defined(__AVX2__)
        if constexpr (sizeof(V) == 32)
            return (V)_mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)low), (__m128i)high, 1);
#endif
        return consecutive<0, lanes_in<V>>(low, high);
    }
}

/// Each number as one of another type.
template <class To, class From>
HOLON_INLINE To converted(From v)
{
    if constexpr (is_wide<To> || is_wide<From>) {
        using HalfTo = decltype(low_half(std::declval<To>()));
        return joined<To>(converted<HalfTo>(low_half(v)), converted<HalfTo>(high_half(v)));
    } else {
#if defined(__AVX2__) // compilers take these apart
        using N = NumberOf<From>;
        [[maybe_unused]] constexpr std::size_t bytes = sizeof(To);
        if constexpr (bytes == 2 * sizeof(From) && std::is_same_v<NumberOf<To>, double>) {
            constexpr bool of_float = std::is_same_v<N, float>, of_integer = std::is_same_v<N, std::int32_t>;
#if defined(__AVX512F__)
            if constexpr (of_float && bytes == 64) return (To)_mm512_cvtps_pd((__m256)v);
            if constexpr (of_integer && bytes == 64) return (To)_mm512_cvtepi32_pd((__m256i)v);
#endif
            if constexpr (of_float && bytes == 32) return (To)_mm256_cvtps_pd((__m128)v);
            if constexpr (of_integer && bytes == 32) return (To)_mm256_cvtepi32_pd((__m128i)v);
        }
        if constexpr (std::is_same_v<NumberOf<To>, std::int64_t> && std::is_same_v<N, std::int32_t>) {
#if defined(__AVX512F__)
            if constexpr (bytes == 64) return (To)_mm512_cvtepi32_epi64((__m256i)v);
#endif
            if constexpr (bytes == 32) return (To)_mm256_cvtepi32_epi64((__m128i)v);
        }
        if constexpr (std::is_same_v<NumberOf<To>, std::int32_t> && sizeof(N) == 8 && std::is_integral_v<N>) {
#if defined(__AVX512F__)
            if constexpr (bytes == 32) return (To)_mm512_cvtepi64_epi32((__m512i)v);
#endif
            if constexpr (bytes == 16 && sizeof(v) == 32) { // the lower halves of its numbers
                const auto low = (__m128)_mm256_castsi256_si128((__m256i)v);
                return (To)_mm_shuffle_ps(low, (__m128)_mm256_extracti128_si256((__m256i)v, 1), 0x88);
            }
        }
#endif
        return __builtin_convertvector(v, To);
    }
}

/// Whether any bit is set.
template <class VI>
HOLON_INLINE bool any_bit(VI v)
{
    if constexpr (is_wide<VI>) {
        return any_bit(v.low | v.high);
    } else {
#if defined(__AVX512F__)
        if constexpr (sizeof v == 64) return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
#endif
#if defined(__AVX2__)
        if constexpr (sizeof v == 32) return _mm256_testz_si256((__m256i)v, (__m256i)v) == 0;
#endif
        std::int64_t words[sizeof v / 8], any = 0;
        __builtin_memcpy(words, &v, sizeof v);
        for (const std::int64_t word : words) any |= word;
        return any != 0;
    }
}

/// Of what a comparison gave, a bit for each lane.
template <class VI>
HOLON_INLINE std::uint32_t lane_bits(VI v)
{
    if constexpr (is_wide<VI>) {
        return lane_bits(v.low) | lane_bits(v.high) << lanes_in<decltype(v.low)>;
    } else {
        [[maybe_unused]] constexpr std::size_t number = sizeof(NumberOf<VI>);
#if defined(__AVX__)
        if constexpr (sizeof v == 32 && number == 4) return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)v));
        if constexpr (sizeof v == 32 && number == 8) return static_cast<std::uint32_t>(_mm256_movemask_pd((__m256d)v));
#endif
#if defined(__SSE2__)
        if constexpr (sizeof v == 16 && number == 4) return static_cast<std::uint32_t>(_mm_movemask_ps((__m128)v));
        if constexpr (sizeof v == 16 && number == 8) return static_cast<std::uint32_t>(_mm_movemask_pd((__m128d)v));
#endif
        std::uint32_t bits = 0;
        for (int l = 0; l < lanes_in<VI>; ++l) bits |= static_cast<std::uint32_t>(v[l] & 1) << l;
        return bits;
    }
}

/// The lanes `from` of a and then b.
template <int... from, class V>
HOLON_INLINE V shuffled(V a, V b);

template <std::array from, class Half, std::size_t... lane>
HOLON_INLINE Half shuffled_half(const Half (&quarters)[4], std::index_sequence<lane...>)
{
    constexpr int n = lanes_in<Half>;
    constexpr int first = from[0] / n;
    constexpr int second = [] {
        for (const int l : from)
            if (l / n != first) return l / n;
        return first;
    }();
    if constexpr ((... && (from[lane] / n == first || from[lane] / n == second)))
        return shuffled<(from[lane] % n + (from[lane] / n == first ? 0 : n))...>(quarters[first], quarters[second]);
    const NumberOf<Half> numbers[] = {quarters[from[lane] / n][from[lane] % n]...};
    return load<Half>(numbers);
}

/// Whether these lanes are one half of a and the same half of b.
template <class V, int first, int... from>
constexpr bool is_halves()
{
    constexpr int n = lanes_in<V>, all[] = {from...};
    for (int l = 0; l < n; ++l)
        if (all[l] != first + (l < n / 2 ? l : l + n / 2)) return false;
    return true;
}

template <int... from, class V>
HOLON_INLINE V shuffled(V a, V b)
{
    if constexpr (is_wide<V>) {
        using Half = decltype(a.low);
        constexpr std::array<int, sizeof...(from)> all{from...};
        constexpr auto part = [all](std::size_t begin) {
            std::array<int, sizeof...(from) / 2> half{};
            for (std::size_t l = 0; l < half.size(); ++l) half[l] = all[begin + l];
            return half;
        };
        const Half quarters[] = {a.low, a.high, b.low, b.high};
        constexpr std::make_index_sequence<sizeof...(from) / 2> lanes{};
        return {shuffled_half<part(0)>(quarters, lanes), shuffled_half<part(sizeof...(from) / 2)>(quarters, lanes)};
    } else {
#if defined(__AVX2__) && !defined(__AVX512F__) // as above
        if constexpr (sizeof(V) == 32 && is_halves<V, 0, from...>()) return joined<V>(low_half(a), low_half(b));
        if constexpr (sizeof(V) == 32 && is_halves<V, lanes_in<V> / 2, from...>())
            return (V)_mm256_blend_epi32(_mm256_castsi128_si256((__m128i)high_half(a)), (__m256i)b, 0xf0);
#endif
        return __builtin_shufflevector(a, b, from...);
    }
}

} // namespace holon
