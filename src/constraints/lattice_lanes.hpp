#pragma once

#include <holon/core/vector_math.hpp>

#include <cstdint>

/// Vectors of the same atom of eight molecules, a molecule to each lane: for kernels that are compiled once per
/// instruction set. Everything is inlined, every lane does the operations that it would do alone.
namespace holon::lattice_lanes {

inline constexpr int lanes = 8; // molecules at a time
using F8 = Vector<double, lanes>;
using I8 = Vector<std::int64_t, lanes>;

inline constexpr double position_unit = 0x1p-48, velocity_unit = 0x1p-44; // as in core/lattice.hpp

/// |x|.
HOLON_INLINE F8 magnitude(F8 x)
{
    return (F8)((I8)x & 0x7fffffffffffffff);
}

/// Zero where no bit of `mask` is set, x where all are.
HOLON_INLINE F8 kept_where(I8 mask, F8 x)
{
    return (F8)((I8)x & mask);
}

struct V3 {
    F8 x, y, z;
};
HOLON_INLINE V3 operator+(const V3& a, const V3& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
HOLON_INLINE V3 operator-(const V3& a, const V3& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
HOLON_INLINE V3 operator*(F8 a, const V3& b)
{
    return {a * b.x, a * b.y, a * b.z};
}
/// In the order of Eigen's dot(), with its bits.
HOLON_INLINE F8 dot(const V3& a, const V3& b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
/// Faster, rounded less often.
HOLON_INLINE F8 fused_dot(const V3& a, const V3& b)
{
    return multiply_add(a.x, b.x, multiply_add(a.y, b.y, a.z * b.z));
}
HOLON_INLINE V3 kept_where(I8 mask, const V3& a)
{
    return {kept_where(mask, a.x), kept_where(mask, a.y), kept_where(mask, a.z)};
}

/// Lattice values.
struct L3 {
    I8 x, y, z;
};
HOLON_INLINE L3 operator+(const L3& a, const L3& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
/// The difference is exact before it becomes real.
HOLON_INLINE V3 difference(const L3& from, const L3& to, double unit)
{
    const auto real = [unit](I8 n) { return to_doubles<F8>(n) * unit; };
    return {real(to.x - from.x), real(to.y - from.y), real(to.z - from.z)};
}
HOLON_INLINE L3 to_lattice(const V3& a, double unit)
{
    const double factor = 1.0 / unit;
    return {round_to_integers<I8>(a.x * factor), round_to_integers<I8>(a.y * factor),
            round_to_integers<I8>(a.z * factor)};
}

/// Three numbers for each lane; `first`: where in `values` those of each lane begin.
HOLON_INLINE L3 load(const std::int64_t* values, const std::int64_t (&first)[lanes])
{
    std::int64_t x[3][lanes];
    for (int l = 0; l < lanes; ++l)
        for (int k = 0; k < 3; ++k) x[k][l] = values[first[l] + k];
    return {holon::load<I8>(x[0]), holon::load<I8>(x[1]), holon::load<I8>(x[2])};
}

/// Lanes that repeat another write the same again.
HOLON_INLINE void store(std::int64_t* values, const std::int64_t (&first)[lanes], const L3& stored)
{
    std::int64_t x[3][lanes];
    holon::store(x[0], stored.x);
    holon::store(x[1], stored.y);
    holon::store(x[2], stored.z);
    for (int l = 0; l < lanes; ++l)
        for (int k = 0; k < 3; ++k) values[first[l] + k] = x[k][l];
}

/// Rows to columns.
HOLON_INLINE void transpose(I8 (&m)[lanes])
{
    I8 pairs[lanes], fours[lanes];
    for (int r = 0; r < lanes; r += 2) {
        pairs[r] = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(m[r], m[r + 1]);
        pairs[r + 1] = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(m[r], m[r + 1]);
    }
    for (int r = 0; r < 2; ++r)
        for (int half = 0; half < lanes; half += 4) {
            const I8 a = pairs[half + r], b = pairs[half + 2 + r];
            fours[half + r] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(a, b);
            fours[half + 2 + r] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(a, b);
        }
    for (int r = 0; r < 4; ++r) {
        m[r] = shuffled<0, 1, 2, 3, 8, 9, 10, 11>(fours[r], fours[4 + r]);
        m[4 + r] = shuffled<4, 5, 6, 7, 12, 13, 14, 15>(fours[r], fours[4 + r]);
    }
}

/// Those of three atoms, one after another in memory; `first`: where the first atom of each lane begins.
HOLON_INLINE void load_three(const std::int64_t* values, const std::int64_t (&first)[lanes], L3 (&loaded)[3])
{
    I8 rows[lanes];
    std::int64_t last[lanes];
    for (int l = 0; l < lanes; ++l) {
        rows[l] = holon::load<I8>(values + first[l]);
        last[l] = values[first[l] + lanes];
    }
    transpose(rows);
    loaded[0] = {rows[0], rows[1], rows[2]};
    loaded[1] = {rows[3], rows[4], rows[5]};
    loaded[2] = {rows[6], rows[7], holon::load<I8>(last)};
}

HOLON_INLINE void store_three(std::int64_t* values, const std::int64_t (&first)[lanes], const L3 (&stored)[3])
{
    I8 rows[lanes] = {stored[0].x, stored[0].y, stored[0].z, stored[1].x,
                      stored[1].y, stored[1].z, stored[2].x, stored[2].y};
    transpose(rows);
    std::int64_t last[lanes];
    holon::store(last, stored[2].z);
    for (int l = 0; l < lanes; ++l) {
        holon::store(values + first[l], rows[l]);
        values[first[l] + lanes] = last[l];
    }
}

/// Results of many batches.
struct Summary {
    I8 residual = {};
    std::int64_t failed = -1; // number of the first molecule without a solution

    HOLON_INLINE void note(F8 error, I8 good)
    {
        const I8 bits = (I8)magnitude(error) & good; // see ordered_bits()
        residual = select(bits > residual, bits, residual);
    }
    HOLON_INLINE void note_failures(I8 good, std::int64_t first, int n)
    {
        if (!any_bit(~good)) return;
        for (int l = 0; l < n; ++l)
            if (good[l] == 0 && failed < 0) failed = first + l;
    }
    HOLON_INLINE std::int64_t largest_residual() const
    {
        std::int64_t largest = 0;
        for (int l = 0; l < lanes; ++l) largest = residual[l] > largest ? residual[l] : largest;
        return largest;
    }
};

} // namespace holon::lattice_lanes
