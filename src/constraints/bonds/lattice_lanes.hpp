#pragma once

#include <holon/core/lattice_units.hpp>
#include <holon/core/three.hpp>
#include <holon/core/vector_math.hpp>

#include <cstdint>

/// Vectors of the same atom of several molecules, a molecule to each lane: for kernels that are compiled once per
/// instruction set. Everything is inlined, every lane does the operations that it would do alone. F is a vector of
/// doubles, I one of as many integers.
namespace holon::lattice_lanes {

inline constexpr int lanes = 8; // molecules at a time, of most kernels
using F8 = Vector<double, lanes>;
using I8 = Vector<std::int64_t, lanes>;

template <class F>
using IntegersOf = Vector<std::int64_t, lanes_in<F>>;
template <class I>
using RealsOf = Vector<double, lanes_in<I>>;

using V3 = Three<F8>;
using L3 = Three<I8>; // lattice values

/// In the order of Eigen's dot(), with its bits.
template <class F>
HOLON_INLINE F dot(const Three<F>& a, const Three<F>& b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
/// Faster, rounded less often.
template <class F>
HOLON_INLINE F fused_dot(const Three<F>& a, const Three<F>& b)
{
    return multiply_add(a.x, b.x, multiply_add(a.y, b.y, a.z * b.z));
}
template <class F>
HOLON_INLINE auto low_half(const Three<F>& a)
{
    return Three<Vector<double, lanes_in<F> / 2>>{holon::low_half(a.x), holon::low_half(a.y), holon::low_half(a.z)};
}
template <class F>
HOLON_INLINE auto high_half(const Three<F>& a)
{
    return Three<Vector<double, lanes_in<F> / 2>>{holon::high_half(a.x), holon::high_half(a.y), holon::high_half(a.z)};
}
template <class F, class Half>
HOLON_INLINE Three<F> joined(const Three<Half>& low, const Three<Half>& high)
{
    return {holon::joined<F>(low.x, high.x), holon::joined<F>(low.y, high.y), holon::joined<F>(low.z, high.z)};
}
/// Of eight places from `first` on, where x, y and z are in three parts of n numbers.
HOLON_INLINE V3 load_vectors(const double* values, std::int64_t n, std::int64_t first)
{
    return {holon::load<F8>(values + first), holon::load<F8>(values + n + first),
            holon::load<F8>(values + 2 * n + first)};
}

/// The difference is exact before it becomes real. [units of the lattice]
template <class I>
HOLON_INLINE Three<RealsOf<I>> difference(const Three<I>& from, const Three<I>& to)
{
    return to_doubles<RealsOf<I>>(to - from);
}
template <class I>
HOLON_INLINE Three<RealsOf<I>> difference(const Three<I>& from, const Three<I>& to, double unit)
{
    return splat<RealsOf<I>>(unit) * difference(from, to);
}
template <class F>
HOLON_INLINE Three<IntegersOf<F>> to_lattice(const Three<F>& a)
{
    return round_to_integers<IntegersOf<F>>(a);
}
template <class F>
HOLON_INLINE Three<IntegersOf<F>> to_lattice(const Three<F>& a, double unit)
{
    return to_lattice(splat<F>(1.0 / unit) * a);
}

/// Three numbers for each lane; `first`: where in `values` those of each lane begin.
template <int n>
HOLON_INLINE auto load(const std::int64_t* values, const std::int64_t (&first)[n])
{
    using I = Vector<std::int64_t, n>;
    if constexpr (native_bytes < 64) return load_three<I>(values, first);
    std::int64_t x[3][n];
    for (int l = 0; l < n; ++l)
        for (int k = 0; k < 3; ++k) x[k][l] = values[first[l] + k];
    return Three<I>{holon::load<I>(x[0]), holon::load<I>(x[1]), holon::load<I>(x[2])};
}

/// Lanes that repeat another write the same again.
template <class I, int n>
HOLON_INLINE void store(std::int64_t* values, const std::int64_t (&first)[n], const Three<I>& stored)
{
    std::int64_t x[3][n];
    holon::store(x[0], stored.x);
    holon::store(x[1], stored.y);
    holon::store(x[2], stored.z);
    for (int l = 0; l < n; ++l)
        for (int k = 0; k < 3; ++k) values[first[l] + k] = x[k][l];
}

/// Rows j less rows i of eight places. `size`: numbers from one row to the next; 4: all may be read.
template <class Row, int size>
HOLON_INLINE auto difference_of_rows(const void* values, const std::int32_t* i, const std::int32_t* j)
{
    const auto row = [values](std::int32_t k) __attribute__((always_inline))
    {
        const void* const p = static_cast<const char*>(values) + 8 * size * std::int64_t{k};
        if constexpr (size == 4)
            return holon::load<Row>(p);
        else
            return load_row<Row>(p);
    };
    Row differences[8];
    for (int l = 0; l < 8; ++l) differences[l] = row(j[l]) - row(i[l]);
    return columns(differences);
}

/// Up to eight pairs of rows.
struct RowPairs {
    const std::int32_t *i, *j;
    int n;
};

/// Adds multiples of rows to rows i, and takes multiples from rows j; all rows are of four numbers.
HOLON_INLINE void add_multiples(void* values, RowPairs pairs, const double* rows, F8 of_i, F8 of_j)
{
    const auto [i, j, n] = pairs;
    using F4 = Vector<double, 4>;
    double factors_i[8], factors_j[8];
    holon::store(factors_i, of_i);
    holon::store(factors_j, of_j);
    asm volatile("" : "+m"(factors_i), "+m"(factors_j)); // to be loaded from there, for shuffles are what is scarce
    for (int l = 0; l < n; ++l) {
        const F4 row = holon::load<F4>(rows + 4 * l);
        char* const at_i = static_cast<char*>(values) + 32 * std::int64_t{i[l]};
        char* const at_j = static_cast<char*>(values) + 32 * std::int64_t{j[l]};
        holon::store(at_i, multiply_add(splat<F4>(factors_i[l]), row, holon::load<F4>(at_i)));
        holon::store(at_j, multiply_add(splat<F4>(factors_j[l]), -row, holon::load<F4>(at_j)));
    }
}

/// Rows to columns.
HOLON_INLINE void transpose(I8 (&m)[8])
{
    I8 pairs[8], fours[8];
    for (int r = 0; r < 8; r += 2) {
        pairs[r] = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(m[r], m[r + 1]);
        pairs[r + 1] = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(m[r], m[r + 1]);
    }
    for (int r = 0; r < 2; ++r)
        for (int half = 0; half < 8; half += 4) {
            const I8 a = pairs[half + r], b = pairs[half + 2 + r];
            fours[half + r] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(a, b);
            fours[half + 2 + r] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(a, b);
        }
    for (int r = 0; r < 4; ++r) {
        m[r] = shuffled<0, 1, 2, 3, 8, 9, 10, 11>(fours[r], fours[4 + r]);
        m[4 + r] = shuffled<4, 5, 6, 7, 12, 13, 14, 15>(fours[r], fours[4 + r]);
    }
}

/// Differences of the second and of the third atom from the first, of three atoms one after another in memory, for
/// eight lanes or twice as many; `first`: where the first atom of each lane begins. Exact before they become real.
/// [units of the lattice]
template <class F>
HOLON_INLINE void load_arms(const std::int64_t* values, const std::int64_t* first, Three<F> (&arms)[2])
{
    if constexpr (8 < lanes_in<F>) {
        V3 low[2], high[2];
        load_arms(values, first, low);
        load_arms(values, first + 8, high);
        for (int a = 0; a < 2; ++a) arms[a] = joined<F>(low[a], high[a]);
    } else {
        I8 rows[8];
        for (int l = 0; l < 8; ++l) {
            const auto start = holon::load<Vector<std::int64_t, 4>>(values + first[l]);
            const I8 twice = holon::joined<I8>(start, start);
            rows[l] = holon::load<I8>(values + first[l] + 1) - shuffled<0, 0, 0, 1, 2, 0, 1, 2>(twice, twice);
        }
        transpose(rows);
        arms[0] = {to_doubles<F>(rows[2]), to_doubles<F>(rows[3]), to_doubles<F>(rows[4])};
        arms[1] = {to_doubles<F>(rows[5]), to_doubles<F>(rows[6]), to_doubles<F>(rows[7])};
    }
}

/// Calls row(l, numbers) for each lane, with the first eight of nine numbers for three atoms.
template <class F, class Row>
HOLON_INLINE void for_each_three(const Three<F> (&three)[3], Row row)
{
    if constexpr (8 < lanes_in<F>) {
        const V3 low[] = {low_half(three[0]), low_half(three[1]), low_half(three[2])};
        const V3 high[] = {high_half(three[0]), high_half(three[1]), high_half(three[2])};
        for_each_three(low, row);
        for_each_three(
            high, [row](int l, F8 numbers) __attribute__((always_inline)) { row(l + 8, numbers); });
    } else {
        I8 rows[8] = {(I8)three[0].x, (I8)three[0].y, (I8)three[0].z, (I8)three[1].x,
                      (I8)three[1].y, (I8)three[1].z, (I8)three[2].x, (I8)three[2].y};
        transpose(rows);
        for (int l = 0; l < 8; ++l) row(l, (F8)rows[l]);
    }
}

/// Adds to the numbers of three atoms, those of the first n lanes, and if there are `others`, multiples to these.
template <class F>
HOLON_INLINE void add_three(std::int64_t* values, std::int64_t* others, double multiple, const std::int64_t* first,
                            int n, const Three<F> (&added)[3])
{
    using I = IntegersOf<F>;
    std::int64_t last[lanes_in<F>], last_of_others[lanes_in<F>];
    holon::store(last, round_to_integers<I>(added[2].z));
    if (others != nullptr) holon::store(last_of_others, round_to_integers<I>(multiple * added[2].z));
    const auto add = [](std::int64_t * to, F8 numbers, std::int64_t ninth) __attribute__((always_inline))
    {
        holon::store(to, holon::load<I8>(to) + round_to_integers<I8>(numbers));
        to[8] += ninth;
    };
    for_each_three(
        added, [&](int l, F8 numbers) __attribute__((always_inline)) {
            if (l >= n) return;
            add(values + first[l], numbers, last[l]);
            if (others != nullptr) add(others + first[l], multiple * numbers, last_of_others[l]);
        });
}

/// Results of many batches.
template <class I>
struct SummaryOf {
    I residual = {};
    std::int64_t failed = -1; // number of the first molecule without a solution

    HOLON_INLINE void note(RealsOf<I> error, I good)
    {
        const I bits = (I)magnitude(error) & good; // see ordered_bits()
        residual = select(bits > residual, bits, residual);
    }
    HOLON_INLINE void note_failures(I good, std::int64_t first, int n)
    {
        if (!any_bit(~good)) return;
        for (int l = 0; l < n; ++l)
            if (good[l] == 0 && failed < 0) failed = first + l;
    }
    HOLON_INLINE std::int64_t largest_residual() const
    {
        std::int64_t largest = 0;
        for (int l = 0; l < lanes_in<I>; ++l) largest = residual[l] > largest ? residual[l] : largest;
        return largest;
    }
};
using Summary = SummaryOf<I8>;

} // namespace holon::lattice_lanes
