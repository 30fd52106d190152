// Compiled once per instruction set: see kernel_variant.hpp.
#include "wide_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/lattice_units.hpp>
#include <holon/core/vector_math.hpp>

namespace holon::pair {
namespace {

using F8 = Vector<double, 8>;
using L8 = Vector<std::int64_t, 8>;
using L4 = Vector<std::int64_t, 4>;
using I8 = Vector<std::int32_t, 8>;

template <class F>
HOLON_INLINE F square(const F (&d)[3])
{
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

HOLON_INLINE F8 at_least(F8 r2)
{
    const F8 least = splat<F8>(least_distance2);
    return select(r2 > least, r2, least);
}

/// Eight pairs, the first of which is `first`.
class Pairs8 {
public:
    HOLON_INLINE Pairs8(const WideInteraction& of, const SinglePairs& pairs, std::int64_t first)
        : of_(of), i_(load<I8>(pairs.i + first)),
          j_(load<I8>(pairs.j + first)), d_{load<F8>(pairs.d[0] + first), load<F8>(pairs.d[1] + first),
                                            load<F8>(pairs.d[2] + first)}
    {
    }
    HOLON_INLINE const F8 (&d() const)[3] { return d_; }
    HOLON_INLINE F8 qq() const { return look_up<F8>(of_.charge, i_) * look_up<F8>(of_.charge, j_); }
    HOLON_INLINE I8 types() const { return look_up<I8>(of_.type, i_) * of_.n_types + look_up<I8>(of_.type, j_); }

private:
    const WideInteraction& of_;
    I8 i_, j_;
    F8 d_[3];
};

/// Vectors may read what is beyond the last pair: something that is a pair.
HOLON_INLINE void fill_up(const SinglePairs& pairs)
{
    store(pairs.i + pairs.n, I8{});
    store(pairs.j + pairs.n, I8{});
    for (double* d : pairs.d) store(d + pairs.n, F8{});
}

template <Kind kind, Form form>
HOLON_INLINE bool forces(const WideInteraction& of, const SinglePairs& pairs, std::int64_t* const force[3])
{
    constexpr double units = 1.0 / force_unit;
    const auto& k = of.constants;
    const L8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    L8 clamped{};
    for (std::int64_t n = 0; n < pairs.n; n += lanes_in<F8>) {
        const Pairs8 p(of, pairs, n);
        const F8 r2 = at_least(square(p.d())), rinv = 1.0 / square_root(r2);
        F8 over_r;
        if constexpr (kind == Kind::coulomb) {
            over_r = coulomb_force<form>(r2, rinv, p.qq(), k);
        } else {
            const I8 types = p.types();
            over_r = vdw_force<form>(r2, rinv, look_up<F8>(of.six_c6, types), look_up<F8>(of.twelve_c12, types), k);
        }
        const F8 f = over_r * units, most = force_bound * rinv;
        const L8 filled = lane < pairs.n - n;
        clamped |= filled & ~((f < most) & (f > -most)); // also NaN
        const F8 below = select(f < most, f, most), kept = select(below > -most, below, -most);
        for (int a = 0; a < 3; ++a) store(force[a] + n, round_to_integers<L8>(kept * p.d()[a]));
    }
    return any_bit(clamped);
}

template <Kind kind, Form form>
HOLON_INLINE void energies(const WideInteraction& of, const SinglePairs& pairs, double* energy)
{
    const auto& k = of.constants;
    for (std::int64_t n = 0; n < pairs.n; n += lanes_in<F8>) {
        const Pairs8 p(of, pairs, n);
        const F8 r2 = at_least(distance2(p.d()[0], p.d()[1], p.d()[2])), rinv = 1.0 / square_root(r2);
        if constexpr (kind == Kind::coulomb) {
            store(energy + n, coulomb_energy<form>(r2, rinv, p.qq(), k));
        } else {
            const I8 types = p.types();
            store(energy + n, vdw_energy<form>(r2, rinv, look_up<F8>(of.c6, types), look_up<F8>(of.c12, types), k));
        }
    }
}

/// Tells which of the pairs of a row's cluster with another one are within the cutoff.
#if defined(__AVX512F__)
class Search {
public:
    HOLON_INLINE explicit Search(const WideRow& row)
        : clusters_(row.clusters), first_(static_cast<std::int32_t>(4 * row.ci)), cutoff2_(row.cutoff2),
          rounding_(row.rounding)
    {
        const FullCluster& own = clusters_[row.ci];
        for (int half = 0; half < 2; ++half) {
            x_[half] = two_rows(own.x + 2 * half);
            y_[half] = two_rows(own.y + 2 * half);
            z_[half] = two_rows(own.z + 2 * half);
        }
    }

    /// Appends pairs with the cluster: those that are within it, and those for which that is not clear. Bit 4 a + b of
    /// `among`: atom a with atom b of the other one.
    HOLON_INLINE void append(SinglePairs& sure, SinglePairs& unsure, std::int32_t cj, std::uint32_t among) const
    {
        const FullCluster& other = clusters_[cj];
        const L8 x = two_columns(other.x), y = two_columns(other.y), z = two_columns(other.z);
        const I8 of_row = {0, 0, 0, 0, 1, 1, 1, 1}, of_column = {0, 1, 2, 3, 0, 1, 2, 3};
        for (int half = 0; half < 2; ++half) {
            const auto asked = static_cast<__mmask8>(among >> (8 * half));
            const F8 d[3] = {to_doubles<F8>(x_[half] - x) * position_unit, to_doubles<F8>(y_[half] - y) * position_unit,
                             to_doubles<F8>(z_[half] - z) * position_unit};
            const F8 r2 = square(d), beyond = r2 - cutoff2_;
            const auto near = less(asked, beyond, splat<F8>(rounding_)),
                       in = less(less_or_equal(near, beyond, splat<F8>(-rounding_)), F8{}, r2);
            const I8 i = of_row + (first_ + 2 * half), j = of_column + 4 * cj;
            append(sure, in, i, j, d);
            if (near != in) [[unlikely]]
                append(unsure, near & ~in, i, j, d);
        }
    }

private:
    /// A coordinate of two atoms with all of another cluster's: lane 4 a + b gets x[a], or x[b].
    HOLON_INLINE static L8 two_rows(const std::int64_t* x)
    {
        return L8{x[0], x[0], x[0], x[0], x[1], x[1], x[1], x[1]};
    }
    HOLON_INLINE static L8 two_columns(const std::int64_t* x)
    {
        return (L8)_mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i*)x));
    }
    HOLON_INLINE static __mmask8 less(__mmask8 among, F8 a, F8 b)
    {
        return _mm512_mask_cmp_pd_mask(among, (__m512d)a, (__m512d)b, _CMP_LT_OQ);
    }
    HOLON_INLINE static __mmask8 less_or_equal(__mmask8 among, F8 a, F8 b)
    {
        return _mm512_mask_cmp_pd_mask(among, (__m512d)a, (__m512d)b, _CMP_LE_OQ);
    }
    HOLON_INLINE static void append(SinglePairs& pairs, std::uint32_t bits, I8 i, I8 j, const F8 (&d)[3])
    {
        const auto lanes = static_cast<__mmask8>(bits);
        const std::int64_t n = pairs.n;
        store(pairs.i + n, (I8)_mm256_maskz_compress_epi32(lanes, (__m256i)i));
        store(pairs.j + n, (I8)_mm256_maskz_compress_epi32(lanes, (__m256i)j));
        for (int k = 0; k < 3; ++k) store(pairs.d[k] + n, (F8)_mm512_maskz_compress_pd(lanes, (__m512d)d[k]));
        pairs.n = n + __builtin_popcount(bits);
    }

    const FullCluster* clusters_;
    std::int32_t first_;
    double cutoff2_, rounding_;
    L8 x_[2], y_[2], z_[2];
};
#else
class Search {
public:
    HOLON_INLINE explicit Search(const WideRow& row)
        : clusters_(row.clusters), ci_(row.ci), cutoff2_(row.cutoff2), rounding_(row.rounding),
          is_short_(row.cutoff2 < 49.0)
    {
    }

    /// One atom of the row's cluster after the other.
    HOLON_INLINE void append(SinglePairs& sure, SinglePairs& unsure, std::int32_t cj, std::uint32_t among) const
    {
        const FullCluster &own = clusters_[ci_], &other = clusters_[cj];
        const L4 x = load<L4>(other.x), y = load<L4>(other.y), z = load<L4>(other.z);
        for (int a = 0; a < 4; ++a) {
            const F4 d[3] = {distance(own.x[a] - x), distance(own.y[a] - y), distance(own.z[a] - z)};
            const F4 r2 = square(d), beyond = r2 - cutoff2_;
            const L4 near = (L4)(beyond < splat<F4>(rounding_));
            const L4 is_sure = (L4)(beyond <= splat<F4>(-rounding_)) & (L4)(r2 > F4{});
            const std::uint32_t asked = among >> (4 * a) & 0xf, in = asked & lane_bits(near & is_sure),
                                doubtful = asked & lane_bits(near & ~is_sure);
            const auto i = static_cast<std::int32_t>(4 * ci_ + a);
            append(sure, in, i, 4 * cj, d);
            if (doubtful != 0) [[unlikely]]
                append(unsure, doubtful, i, 4 * cj, d);
        }
    }

private:
    using F4 = Vector<double, 4>;

    /// Exact up to 2^51 units, 8 nm; what is further away stays at least as far away, or is none. [nm]
    HOLON_INLINE F4 distance(L4 v) const
    {
        if (!is_short_) [[unlikely]]
            return to_doubles<F4>(v) * position_unit;
        const F4 magic = splat<F4>(0x1.8p52);
        return ((F4)(v + (L4)magic) - magic) * position_unit;
    }
    /// Of atom i with those of the atoms from `first` on whose bits are set.
    HOLON_INLINE static void append(SinglePairs& pairs, std::uint32_t bits, std::int32_t i, std::int32_t first,
                                    const F4 (&d)[3])
    {
#if defined(__AVX2__)
        const std::int64_t n = pairs.n;
        // Side by side: where each of the lanes that are left comes from, as numbers and as their halves.
        struct alignas(32) From {
            std::int32_t lane[16][4], half[16][8];
        };
        static constexpr From from = [] {
            From f{};
            for (unsigned set = 0; set < 16; ++set)
                for (int lane = 0, to = 0; lane < 4; ++lane)
                    if ((set >> lane & 1) != 0) {
                        f.lane[set][to] = lane;
                        f.half[set][2 * to] = 2 * lane;
                        f.half[set][2 * to + 1] = 2 * lane + 1;
                        ++to;
                    }
            return f;
        }();
        using Int4 = Vector<std::int32_t, 4>;
        const auto halves = _mm256_load_si256((const __m256i*)from.half[bits]);
        store(pairs.i + n, splat<Int4>(i));
        store(pairs.j + n, load<Int4>(from.lane[bits]) + first);
        for (int k = 0; k < 3; ++k)
            store(pairs.d[k] + n, (F4)_mm256_permutevar8x32_ps(_mm256_castpd_ps((__m256d)d[k]), halves));
        pairs.n = n + __builtin_popcount(bits);
#else
        for (std::uint32_t left = bits; left != 0; left &= left - 1) {
            const int lane = __builtin_ctz(left);
            pairs.i[pairs.n] = i;
            pairs.j[pairs.n] = first + lane;
            for (int k = 0; k < 3; ++k) pairs.d[k][pairs.n] = d[k][lane];
            ++pairs.n;
        }
#endif
    }

    const FullCluster* clusters_;
    std::int64_t ci_;
    double cutoff2_, rounding_;
    bool is_short_; // the cutoff
};
#endif

} // namespace

void HOLON_NAME(find_pairs)(const WideRow& row, SinglePairs& found, SinglePairs& unsure)
{
    const WideRow w = row; // not to be read again after each store
    SinglePairs sure = found, other = unsure;
    const Search search(w);
    const auto look_at = [&](std::int32_t cj, std::uint32_t mask) __attribute__((always_inline))
    {
        search.append(sure, other, cj, mask);
    };
    const auto& entries = w.entries;
    for (const auto* e = entries.near; e != entries.near_end; ++e) look_at(*e, w.used_rows[w.ci] * w.used[*e]);
    for (const auto* e = entries.far; e != entries.far_end; ++e) look_at(*e, w.used_rows[w.ci] * w.used[*e]);
    for (const auto* e = entries.close; e != entries.close_end; ++e) look_at(e->cluster, e->mask);
    found.n = sure.n;
    unsure.n = other.n;
}

bool HOLON_NAME(wide_forces)(const WideInteraction& interaction, const SinglePairs& pairs, std::int64_t* const force[3])
{
    fill_up(pairs);
    const auto run = [&](auto kind, auto form) __attribute__((always_inline))
    {
        return forces<kind.value, form.value>(interaction, pairs, force);
    };
    return with_constants(interaction.kind, interaction.form, run);
}

void HOLON_NAME(wide_energies)(const WideInteraction& interaction, const SinglePairs& pairs, double* energy)
{
    fill_up(pairs);
    const auto run = [&](auto kind, auto form) __attribute__((always_inline))
    {
        energies<kind.value, form.value>(interaction, pairs, energy);
    };
    with_constants(interaction.kind, interaction.form, run);
}

} // namespace holon::pair
