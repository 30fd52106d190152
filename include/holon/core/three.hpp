#pragma once

#include <holon/core/vector_math.hpp>

namespace holon {

/// Three numbers of an atom, or those of as many atoms as a vector has lanes.
template <class V>
struct Three {
    V x, y, z;
};
template <class V>
HOLON_INLINE Three<V> operator+(const Three<V>& a, const Three<V>& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class V>
HOLON_INLINE Three<V> operator-(const Three<V>& a, const Three<V>& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class V>
HOLON_INLINE Three<V> operator-(const Three<V>& a)
{
    return {-a.x, -a.y, -a.z};
}
template <class V>
HOLON_INLINE Three<V> operator*(V a, const Three<V>& b)
{
    return {a * b.x, a * b.y, a * b.z};
}
template <class V>
HOLON_INLINE Three<V> cross(const Three<V>& a, const Three<V>& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class VI, class V>
HOLON_INLINE Three<V> kept_where(VI mask, const Three<V>& a)
{
    return {kept_where(mask, a.x), kept_where(mask, a.y), kept_where(mask, a.z)};
}

/// Whether all numbers, doubles, are what round_small() takes.
template <class V>
HOLON_INLINE bool all_small(const Three<V>& v)
{
    using VI = Vector<std::int64_t, lanes_in<V>>;
    const auto small = [](V x) __attribute__((always_inline))
    {
        return (VI)(magnitude(x) < splat<V>(0x1p51));
    };
    return !any_bit(~(small(v.x) & small(v.y) & small(v.z)));
}

/// Of each number, in lanes of doubles.
template <class VI, class V>
HOLON_INLINE Three<VI> round_small(const Three<V>& v)
{
    return {round_small<VI>(v.x), round_small<VI>(v.y), round_small<VI>(v.z)};
}
template <class VI, class V>
HOLON_INLINE Three<VI> round_to_integers(const Three<V>& v)
{
#if !defined(__AVX512DQ__) // one look at the three of them
    if (all_small(v)) [[likely]]
        return round_small<VI>(v);
#endif
    return {round_to_integers<VI>(v.x), round_to_integers<VI>(v.y), round_to_integers<VI>(v.z)};
}
template <class V, class VI>
HOLON_INLINE Three<V> to_doubles(const Three<VI>& v)
{
    return {to_doubles<V>(v.x), to_doubles<V>(v.y), to_doubles<V>(v.z)};
}

/// Three numbers that follow each other, of each lane: first[l] is where in `values` those of lane l begin. By rows,
/// which are transposed: on some processors a gather takes several times as long.
template <class V, class Index>
HOLON_INLINE Three<V> load_three(const NumberOf<V>* values, const Index* first)
{
    constexpr int n = lanes_in<V>;
    static_assert(sizeof(NumberOf<V>) == 8);
    if constexpr (n == 2) {
        const V a = load<V>(values + first[0]), b = load<V>(values + first[1]);
        return {shuffled<0, 2>(a, b), shuffled<1, 3>(a, b), V{values[first[0] + 2], values[first[1] + 2]}};
    } else if constexpr (n == 4 && !is_wide<V>) {
        using Row = Vector<NumberOf<V>, 2>;
        const auto rows = [&](int l, int m) __attribute__((always_inline))
        {
            return joined<V>(load<Row>(values + first[l]), load<Row>(values + first[m]));
        };
        const V even = rows(0, 2), odd = rows(1, 3);
        return {shuffled<0, 4, 2, 6>(even, odd), shuffled<1, 5, 3, 7>(even, odd),
                V{values[first[0] + 2], values[first[1] + 2], values[first[2] + 2], values[first[3] + 2]}};
    } else {
        using Half = decltype(low_half(V{}));
        const auto low = load_three<Half>(values, first), high = load_three<Half>(values, first + n / 2);
        return {joined<V>(low.x, high.x), joined<V>(low.y, high.y), joined<V>(low.z, high.z)};
    }
}

/// Three numbers from memory, in the first of four lanes; the fourth number in memory is not touched.
template <class Row>
HOLON_INLINE Row load_row(const void* p)
{
    static_assert(lanes_in<Row> == 4 && sizeof(NumberOf<Row>) == 8);
#if defined(__AVX512VL__)
    return (Row)_mm256_maskz_loadu_epi64(7, p);
#elif defined(__AVX2__) // loads with a mask take several times as long on some
    const __m128i two = _mm_loadu_si128(static_cast<const __m128i*>(p));
    const __m128i third = _mm_loadl_epi64(static_cast<const __m128i*>(p) + 1);
    return (Row)_mm256_inserti128_si256(_mm256_castsi128_si256(two), third, 1);
#else
    NumberOf<Row> numbers[4] = {};
    __builtin_memcpy(numbers, p, 3 * sizeof numbers[0]);
    return load<Row>(numbers);
#endif
}
/// Adds the first three numbers to those in memory, in two parts: what waits for being stored can only be loaded as it
/// was, and rows overlap where they are taken as four.
template <class Row>
HOLON_INLINE void add_to_row(NumberOf<Row>* p, Row row)
{
    static_assert(lanes_in<Row> == 4);
    const auto two = low_half(row);
    store(p, load<std::remove_cvref_t<decltype(two)>>(p) + two);
    p[2] += row[2];
}

/// The first three numbers of eight rows as columns.
template <class Row>
HOLON_INLINE auto columns(const Row (&rows)[8])
{
    using V = Vector<NumberOf<Row>, 8>;
    V pairs[4]; // rows l and l + 4
    for (int l = 0; l < 4; ++l) pairs[l] = joined<V>(rows[l], rows[l + 4]);
    const V xz01 = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(pairs[0], pairs[1]);
    const V xz23 = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(pairs[2], pairs[3]);
    const V y01 = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(pairs[0], pairs[1]);
    const V y23 = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(pairs[2], pairs[3]);
    return Three<V>{shuffled<0, 1, 8, 9, 4, 5, 12, 13>(xz01, xz23), shuffled<0, 1, 8, 9, 4, 5, 12, 13>(y01, y23),
                    shuffled<2, 3, 10, 11, 6, 7, 14, 15>(xz01, xz23)};
}
/// The other way; the fourth number of a row may be any.
template <class V, class Row>
HOLON_INLINE void to_rows(const Three<V>& columns, Row (&rows)[8])
{
    const V even = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(columns.x, columns.y);
    const V odd = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(columns.x, columns.y);
    const V back = shuffled<1, 0, 3, 2, 5, 4, 7, 6>(columns.z, columns.z);
    const V pairs[4] = {
        // rows l and l + 4
        shuffled<0, 1, 8, 9, 4, 5, 12, 13>(even, columns.z), shuffled<0, 1, 8, 9, 4, 5, 12, 13>(odd, back),
        shuffled<2, 3, 10, 11, 6, 7, 14, 15>(even, columns.z), shuffled<2, 3, 10, 11, 6, 7, 14, 15>(odd, back)};
    for (int l = 0; l < 4; ++l) {
        rows[l] = low_half(pairs[l]);
        rows[l + 4] = high_half(pairs[l]);
    }
}

} // namespace holon
