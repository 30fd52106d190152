#pragma once

#include <holon/core/vector_math.hpp>
#include <holon/system/pair_list.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// 16 lanes: all pairs of an atom a of one cluster of four with an atom b of another, in lane 4 a + b. For sources that
/// are compiled once per instruction set: everything is inlined.
namespace holon::lanes {

using F16 = Vector<float, 16>;
using I16 = Vector<std::int32_t, 16>;
using F4 = Vector<float, 4>;
using I4 = Vector<std::int32_t, 4>;
using I8 = Vector<std::int32_t, 8>;

/// Lane 4 a + b gets v[b].
HOLON_INLINE I16 columns(I4 v)
{
#if defined(__AVX512F__)
    return (I16)_mm512_broadcast_i32x4((__m128i)v);
#elif defined(__AVX2__)
    const auto twice = (I8)_mm256_broadcastsi128_si256((__m128i)v); // at once from memory, if it comes from there
    return {twice, twice};
#else
    const I8 twice = joined<I8>(v, v);
    return joined<I16>(twice, twice);
#endif
}
HOLON_INLINE F16 columns(F4 v)
{
    return (F16)columns((I4)v);
}

/// Lane 4 a + b gets v[a].
HOLON_INLINE I16 rows(I4 v)
{
#if defined(__AVX512F__)
    const I16 row = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    return (I16)_mm512_permutexvar_epi32((__m512i)row, _mm512_castsi128_si512((__m128i)v));
#else
    const I4 a = shuffled<0, 0, 0, 0>(v, v), b = shuffled<1, 1, 1, 1>(v, v), c = shuffled<2, 2, 2, 2>(v, v),
             d = shuffled<3, 3, 3, 3>(v, v);
    return joined<I16>(joined<I8>(a, b), joined<I8>(c, d));
#endif
}
HOLON_INLINE F16 rows(F4 v)
{
    return (F16)rows((I4)v);
}

/// For a pass over clusters [.., end) that has come to `cluster`: fetches what is to be read, or written, of the atoms
/// of one that is soon to come. Atoms follow clusters not so closely that they are fetched without being asked.
/// `atoms`: four per cluster, -1: none; `values`: three per atom.
template <bool write>
HOLON_INLINE void fetch_ahead(const std::int32_t* atoms, std::int64_t cluster, std::int64_t end,
                              const std::int64_t* values)
{
    constexpr std::int64_t ahead = 12;
    const std::int32_t* const soon = atoms + 4 * (cluster + ahead < end ? cluster + ahead : cluster);
    for (int a = 0; a < 4; ++a) __builtin_prefetch(values + 3 * std::int64_t{soon[a]}, write ? 1 : 0);
}

/// Vectors between the atoms of two clusters.
struct Distances {
    F16 x, y, z;
    HOLON_INLINE F16 square() const { return multiply_add(z, z, multiply_add(y, y, x * x)); }
};

/// The cluster of a row and where positions are for it, Clusters or CentredClusters: the same result.
template <class Positions>
class RowCluster {
public:
    HOLON_INLINE RowCluster(const Positions& positions, std::int64_t own)
        : from_x_(positions.of_row(own, 0)), from_y_(positions.of_row(own, 1)), from_z_(positions.of_row(own, 2)),
          x_(rows(load<V4>(from_x_[own].x))), y_(rows(load<V4>(from_y_[own].y))), z_(rows(load<V4>(from_z_[own].z)))
    {
    }
    /// From the atoms of another one [2^-22 nm].
    HOLON_INLINE Distances from(std::int64_t other) const
    {
        return {distance(x_, from_x_[other].x), distance(y_, from_y_[other].y), distance(z_, from_z_[other].z)};
    }

private:
    using T = typename Positions::Number;
    static constexpr bool integers = std::is_same_v<T, std::int32_t>;
    using V4 = std::conditional_t<integers, I4, F4>;
    using V16 = std::conditional_t<integers, I16, F16>;
    HOLON_INLINE static F16 distance(V16 own, const T* other) { return converted<F16>(own - columns(load<V4>(other))); }
    const ClusterOf<T>*from_x_, *from_y_, *from_z_;
    V16 x_, y_, z_;
};

/// A set of lanes.
#if defined(__AVX512F__)
using Lanes = __mmask16;

HOLON_INLINE Lanes lanes_of(std::uint32_t bits)
{
    return static_cast<Lanes>(bits);
}
HOLON_INLINE Lanes less(Lanes among, F16 a, F16 b)
{
    return _mm512_mask_cmp_ps_mask(among, (__m512)a, (__m512)b, _CMP_LT_OQ);
}
HOLON_INLINE Lanes less_or_equal(Lanes among, F16 a, F16 b)
{
    return _mm512_mask_cmp_ps_mask(among, (__m512)a, (__m512)b, _CMP_LE_OQ);
}
HOLON_INLINE Lanes without(Lanes a, Lanes b)
{
    return _kandn_mask16(b, a);
}
HOLON_INLINE F16 only(Lanes lanes, F16 v)
{
    return (F16)_mm512_maskz_mov_ps(lanes, (__m512)v);
}
/// a in these lanes, b in the others.
HOLON_INLINE F16 chosen(Lanes lanes, F16 a, F16 b)
{
    return (F16)_mm512_mask_mov_ps((__m512)b, lanes, (__m512)a);
}
HOLON_INLINE bool any(Lanes lanes)
{
    return lanes != 0;
}
HOLON_INLINE std::uint32_t bits_of(Lanes lanes)
{
    return lanes;
}
#else
using Lanes = I16;

HOLON_INLINE Lanes lanes_of(std::uint32_t bits)
{
    const I16 lane_bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    return (static_cast<std::int32_t>(bits) & lane_bit) == lane_bit;
}
HOLON_INLINE Lanes less(Lanes among, F16 a, F16 b)
{
    return among & (a < b);
}
HOLON_INLINE Lanes less_or_equal(Lanes among, F16 a, F16 b)
{
    return among & (a <= b);
}
HOLON_INLINE Lanes without(Lanes a, Lanes b)
{
    return a & ~b;
}
HOLON_INLINE F16 only(Lanes lanes, F16 v)
{
    return (F16)(lanes & (I16)v);
}
HOLON_INLINE F16 chosen(Lanes lanes, F16 a, F16 b)
{
    return select(lanes, a, b);
}
HOLON_INLINE std::uint32_t bits_of(Lanes lanes)
{
    return lane_bits(lanes);
}
HOLON_INLINE bool any(Lanes lanes)
{
    return lane_bits(lanes.low | lanes.high) != 0;
}
#endif

/// Stores the lanes of v that belong to the set side by side; `target` has room for 16. Returns how many there are.
HOLON_INLINE std::size_t store_only(std::int32_t* target, Lanes lanes, I16 v)
{
#if defined(__AVX512F__)
    _mm512_storeu_si512(target, _mm512_maskz_compress_epi32(lanes, (__m512i)v)); // to memory at once is slow on some
    return static_cast<std::size_t>(__builtin_popcount(lanes));
#else
    std::size_t n = 0;
    for (std::uint32_t left = bits_of(lanes); left != 0; left &= left - 1) target[n++] = v[__builtin_ctz(left)];
    return n;
#endif
}

} // namespace holon::lanes
