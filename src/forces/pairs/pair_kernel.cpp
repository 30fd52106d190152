// Compiled once per instruction set: see kernel_variant.hpp.
#include "pair_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

#include "pair_lanes.hpp"

namespace holon::pair {
namespace {

using namespace lanes;

/// A float of this size has a unit of 1 in its last place: adding it rounds to integers of up to 22 bits, ties to even,
/// which then stand in the low bits of the sum.
constexpr float rounder = 0x1.8p23F;
constexpr std::uint32_t rounder_bits = 0x4b400000;

/// What is kept of the forces on a cluster, in its LaneForces: all sixteen lanes, or where that takes two vectors their
/// sums over the four of an atom, so that what clusters collect stays in the nearest cache.
constexpr int kept_lanes = native_bytes < sizeof(I16) ? 4 : 16;
using Kept = Vector<std::int32_t, kept_lanes>;

/// Of x, y and z, one behind the other; those of the clusters follow each other.
HOLON_INLINE std::int32_t* kept_of(LaneForces* forces, std::int64_t cluster)
{
    return reinterpret_cast<std::int32_t*>(forces) + 3 * kept_lanes * cluster;
}
HOLON_INLINE const std::int32_t* kept_of(const LaneForces* forces, std::int64_t cluster)
{
    return reinterpret_cast<const std::int32_t*>(forces) + 3 * kept_lanes * cluster;
}

HOLON_INLINE void add_to(std::int32_t* target, I16 v)
{
    if constexpr (kept_lanes == 16) {
        store(target, load<I16>(target) + v);
    } else {
        const auto halves = low_half(v) + high_half(v);
        store(target, load<I4>(target) + (low_half(halves) + high_half(halves)));
    }
}

/// Lane 4 a + b gets v[4 b + a].
HOLON_INLINE I16 transposed(I16 v)
{
    return shuffled<0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15>(v, v);
}

/// Minus the forces on a row's atoms while its pairs are summed.
struct RowSums {
    I16 x, y, z;
};

/// Of an entry of either kind. Of a far one all lanes may be taken: what is not used is far away, or adds to places
/// that belong to no atom.
HOLON_INLINE std::int32_t cluster_of(std::int32_t far)
{
    return far;
}
HOLON_INLINE std::int32_t cluster_of(PairList::Entry close)
{
    return close.cluster;
}
HOLON_INLINE std::uint32_t mask_of(std::int32_t)
{
    return 0xffff;
}
HOLON_INLINE std::uint32_t mask_of(PairList::Entry close)
{
    return close.mask;
}

/// A walk through the entries of one or two arrays.
template <class Entry>
class Walk {
public:
    HOLON_INLINE Walk(const Entry* begin, const Entry* end)
        : at_(begin), end_(end), second_(nullptr), second_end_(nullptr)
    {
    }
    HOLON_INLINE Walk(const Entry* begin, const Entry* end, const Entry* second, const Entry* second_end)
        : at_(begin), end_(end), second_(second), second_end_(second_end)
    {
        if (at_ == end_) go_over();
    }
    HOLON_INLINE bool at_end() const { return at_ == end_; }
    HOLON_INLINE const Entry& operator*() const { return *at_; }
    HOLON_INLINE void operator++()
    {
        if (++at_ == end_) [[unlikely]]
            go_over();
    }

private:
    HOLON_INLINE void go_over()
    {
        at_ = second_;
        end_ = second_end_;
        second_ = second_end_;
    }
    const Entry *at_, *end_, *second_, *second_end_;
};

/// Whether entries pass through memory on their way, a block at a time, for lack of registers: see add_entries().
constexpr bool by_memory = native_bytes < sizeof(F16);

/// An entry whose distances are known; and what follows from these alone, if it waits in memory: it is the longest
/// chain of operations.
template <class Entry, class Pair>
struct Measured {
    struct None {};
    Distances d;
    F16 r2;
    std::conditional_t<by_memory, typename Pair::Ahead, None> ahead;
    Entry entry;
};
/// Where the result is to be: to be copied there it would have to be read in other pieces than it was written in.
template <class Pair, class Entry, class Positions>
HOLON_INLINE void measure(const Pair& pair, const RowCluster<Positions>& row, Entry entry, Measured<Entry, Pair>& m)
{
    m.entry = entry;
    m.d = row.from(cluster_of(entry));
    m.r2 = m.d.square();
    if constexpr (by_memory) m.ahead = pair.ahead(m.r2);
}
template <class Pair, class Entry>
HOLON_INLINE decltype(auto) ahead_of(const Pair& pair, const Measured<Entry, Pair>& m)
{
    if constexpr (by_memory)
        return (m.ahead); // where it is
    else
        return pair.ahead(m.r2);
}

/// Force over distance, where there is one. Writes which pairs are left to the wide path.
template <class Entry, class Pair>
HOLON_INLINE F16 force_of(const Pair& pair, const Measured<Entry, Pair>& m, WidePairs*& wide)
{
    const std::int64_t cj = cluster_of(m.entry);
    const Lanes taken = less(lanes_of(mask_of(m.entry)), m.r2, pair.cutoff2());
    if constexpr (!std::is_same_v<Entry, PairList::Entry>) return only(taken, pair.force(m.r2, ahead_of(pair, m), cj));
    F16 force;
    if constexpr (requires { pair.close_force(m.r2, ahead_of(pair, m), cj, taken); })
        force = pair.close_force(m.r2, ahead_of(pair, m), cj, taken);
    else
        force = pair.force(m.r2, ahead_of(pair, m), cj);
    constexpr float limit = wide_limit * static_cast<float>(1 << kernel_force_bits);          // in their units
    const Lanes fits = less_or_equal(taken, force * force * m.r2, splat<F16>(limit * limit)); // not NaN
    wide->cluster = static_cast<std::int32_t>(cj);
    wide->mask = bits_of(without(taken, fits));
    wide += wide->mask != 0 ? 1 : 0;
    return only(fits, force);
}

HOLON_INLINE void add_up(std::int64_t cluster, const Distances& d, F16 over_r, LaneForces* forces, RowSums& sums)
{
    // With the bits of the rounder, which are in lanes without a pair, too.
    const F16 magic = splat<F16>(rounder);
    const I16 fx = (I16)multiply_add(over_r, d.x, magic), fy = (I16)multiply_add(over_r, d.y, magic),
              fz = (I16)multiply_add(over_r, d.z, magic);
    sums.x += fx;
    sums.y += fy;
    sums.z += fz;
    std::int32_t* const of_other = kept_of(forces, cluster);
    add_to(of_other, fx);
    add_to(of_other + kept_lanes, fy);
    add_to(of_other + 2 * kept_lanes, fz);
}

/// Adds the forces of the pairs of a row with far or close entries, and minus those on the others to theirs; only those
/// of close ones may be beyond the limit.
///
/// Of an entry one after the other: the distances, the forces, their sums. A processor looks ahead no further than
/// about the length of this chain of operations, so it is given those of several entries at once: by way of memory
/// where it has no registers for that.
template <class Entry, class Pair, class Positions>
HOLON_INLINE void add_entries(const Pair& pair, const RowCluster<Positions>& row, Walk<Entry> entries,
                              LaneForces* forces, RowSums& sums, WidePairs*& wide)
{
    if (entries.at_end()) return;
    if constexpr (by_memory) {
        constexpr int at_once = 8;
        Measured<Entry, Pair> block[at_once];
        F16 over_r[at_once];
        while (!entries.at_end()) {
            int n = 0;
            for (; n < at_once && !entries.at_end(); ++n, ++entries) measure(pair, row, *entries, block[n]);
            for (int k = 0; k < n; ++k) over_r[k] = force_of(pair, block[k], wide);
            for (int k = 0; k < n; ++k) add_up(cluster_of(block[k].entry), block[k].d, over_r[k], forces, sums);
        }
    } else {
        struct Found {
            std::int64_t cluster;
            Distances d;
            F16 over_r;
        };
        const auto add = [&](const Found& found) __attribute__((always_inline))
        {
            add_up(found.cluster, found.d, found.over_r, forces, sums);
        };
        Measured<Entry, Pair> ready;
        measure(pair, row, *entries, ready);
        const auto find = [&](Entry following) __attribute__((always_inline))
        {
            const auto now = ready;
            measure(pair, row, following, ready);
            return Found{cluster_of(now.entry), now.d, force_of(pair, now, wide)};
        };
        ++entries;
        if (!entries.at_end()) {
            Found last = find(*entries);
            for (++entries; !entries.at_end(); ++entries) {
                const Found found = find(*entries);
                add(last);
                last = found;
            }
            add(last);
        }
        add({cluster_of(ready.entry), ready.d, force_of(pair, ready, wide)});
    }
}

/// Each cluster begins with what takes away the rounders' bits that it will collect.
HOLON_INLINE void start(const KernelData& k)
{
    for (std::int64_t c = k.first; c < k.n_clusters; ++c) {
        const PairList::Row row = c < k.last ? k.rows[c] : PairList::Row{};
        const auto surplus = static_cast<std::uint32_t>(row.size() - static_cast<std::size_t>(k.named[c]));
        const Kept bias = splat<Kept>(static_cast<std::int32_t>(surplus * rounder_bits * (16 / kept_lanes)));
        std::int32_t* const kept = kept_of(k.forces, c);
        for (int axis = 0; axis < 3; ++axis) store(kept + axis * kept_lanes, bias);
    }
}

/// Returns how many wide ones it has written.
template <class Pair, class Positions>
HOLON_INLINE std::size_t run_rows(const KernelData& k, const Positions& positions)
{
    Pair pair(k);
    WidePairs* wide = k.wide;
    for (std::int64_t ci = k.first; ci < k.last; ++ci) {
        const PairList::Row entries = k.rows[ci];
        if (entries.size() == 0) continue;
        const RowCluster row(positions, ci);
        pair.set_row(ci);
        RowSums sums{};
        WidePairs* const wide_of_row = wide;
        const Walk<std::int32_t> far(entries.near, entries.near_end, entries.far, entries.far_end);
        add_entries(pair, row, far, k.forces, sums, wide);
        const Walk<PairList::Entry> close(entries.close, entries.close_end);
        add_entries(pair, row, close, k.forces, sums, wide);
        std::int32_t* const own = kept_of(k.forces, ci);
        add_to(own, -transposed(sums.x));
        add_to(own + kept_lanes, -transposed(sums.y));
        add_to(own + 2 * kept_lanes, -transposed(sums.z));
        for (auto* w = wide_of_row; w != wide; ++w) w->row = static_cast<std::int32_t>(ci);
    }
    return static_cast<std::size_t>(wide - k.wide);
}

template <class Pair>
std::size_t run(const KernelData& k)
{
    start(k);
    return k.centred.frames[0] != nullptr ? run_rows<Pair>(k, k.centred) : run_rows<Pair>(k, k.clusters);
}

template <Form form>
std::size_t run_vdw(const KernelData& k)
{
    if (k.combination == Combination::lorentz_berthelot) return run<Vdw<form, Combination::lorentz_berthelot>>(k);
    if (k.combination == Combination::geometric) return run<Vdw<form, Combination::geometric>>(k);
    return run<Vdw<form, Combination::table>>(k);
}

/// Takes the first three lanes, times 2^shift, from numbers in memory.
HOLON_INLINE void subtract_three(std::int64_t* from, I4 v, int shift)
{
#if defined(__AVX512VL__)
    const auto scaled = _mm256_sll_epi64(_mm256_cvtepi32_epi64((__m128i)v), _mm_cvtsi32_si128(shift));
    constexpr __mmask8 three = 7;
    _mm256_mask_storeu_epi64(from, three, _mm256_sub_epi64(_mm256_maskz_loadu_epi64(three, from), scaled));
#elif defined(__AVX2__)
    const auto scaled = _mm256_sll_epi64(_mm256_cvtepi32_epi64((__m128i)v), _mm_cvtsi32_si128(shift));
    const auto two = (__m128i*)from;
    _mm_storeu_si128(two, _mm_sub_epi64(_mm_loadu_si128(two), _mm256_castsi256_si128(scaled)));
    from[2] -= _mm_cvtsi128_si64(_mm256_extracti128_si256(scaled, 1));
#else
    for (int k = 0; k < 3; ++k) from[k] -= std::int64_t{v[k]} << shift;
#endif
}

HOLON_INLINE I4 of_atoms(const std::int32_t* kept)
{
    I4 sum = load<I4>(kept);
    for (int l = 4; l < kept_lanes; l += 4) sum += load<I4>(kept + l);
    return sum;
}

using D16 = Vector<double, 16>;
using D4 = Vector<double, 4>;
using L16 = Vector<std::int64_t, 16>;
using U16 = Vector<std::uint64_t, 16>;

HOLON_INLINE D16 joined(D4 a, D4 b, D4 c, D4 d)
{
    using D8 = Vector<double, 8>;
    return holon::joined<D16>(holon::joined<D8>(a, b), holon::joined<D8>(c, d));
}

template <Kind kind, Form form>
HOLON_INLINE D16 energy(const EnergyData& k, D16 r2, D16 rinv, std::int64_t i, std::int64_t j)
{
    if constexpr (kind == Kind::coulomb) {
        const double* const own = k.charge + i;
        const auto other = load<D4>(k.charge + j);
        const D16 charges = joined(own[0] * other, own[1] * other, own[2] * other, own[3] * other);
        return coulomb_energy<form>(r2, rinv, charges, k.constants);
    }
    const auto of_pairs = [&](const double* table) __attribute__((always_inline))
    {
        const auto* const other = k.type + j;
        const auto of_row = [&](int a) __attribute__((always_inline))
        {
            const double* const row = table + k.type[i + a] * k.n_types;
            return D4{row[other[0]], row[other[1]], row[other[2]], row[other[3]]};
        };
        return joined(of_row(0), of_row(1), of_row(2), of_row(3));
    };
    return vdw_energy<form>(r2, rinv, of_pairs(k.c6), of_pairs(k.c12), k.constants);
}

/// All sixteen pairs of an entry at once: with fewer, a processor waits for each step of a polynomial to end.
template <Kind kind, Form form>
HOLON_INLINE int128 energies(const EnergyData& k)
{
    constexpr float unit2 = kernel_unit * kernel_unit;
    const float cutoff2 = kind == Kind::coulomb ? k.cutoffs.rc2_coulomb : k.cutoffs.rc2_vdw;
    int128 total = 0;
    const I16 lane_bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    for (std::int64_t ci = k.first; ci < k.last; ++ci) {
        const Cluster& own = k.clusters[ci];
        const I16 own_x = rows(load<I4>(own.x)), own_y = rows(load<I4>(own.y)), own_z = rows(load<I4>(own.z));
        const PairList::Row row = k.rows[ci];
        U16 sum{}; // need not be right where one does not fit
        L16 large{};
        const auto add = [&](std::int64_t cj, std::uint32_t entry_mask) __attribute__((always_inline))
        {
            const Cluster& other = k.clusters[cj];
            const I16 x = own_x - columns(load<I4>(other.x)), y = own_y - columns(load<I4>(other.y)),
                      z = own_z - columns(load<I4>(other.z)); // exact
            const F16 r2_single = distance2(converted<F16>(x), converted<F16>(y), converted<F16>(z)) * unit2;
            const auto mask = static_cast<std::int32_t>(entry_mask);
            const auto near = converted<L16>(((mask & lane_bit) == lane_bit) & (I16)(r2_single < cutoff2));
            const D16 r2 = distance2(converted<D16>(x), converted<D16>(y), converted<D16>(z)) * double{unit2};
            const D16 rinv = refine_inverse_sqrt(r2, converted<D16>(inverse_sqrt(r2_single, (I16)r2_single)));
            const D16 counted = kept_where(near, energy<kind, form>(k, r2, rinv, 4 * ci, 4 * cj));
            large |= ~(L16)(magnitude(counted) < energy_limit); // also NaN
            large |= near & (L16)(r2 < least_distance2);
            sum += (U16)round_small<L16>(counted * (1.0 / energy_unit));
        };
        for (const std::int32_t* e = row.near; e != row.near_end; ++e) add(*e, k.used_rows[ci] * k.used[*e]);
        for (const std::int32_t* e = row.far; e != row.far_end; ++e) add(*e, k.used_rows[ci] * k.used[*e]);
        for (const PairList::Entry* e = row.close; e != row.close_end; ++e) add(e->cluster, e->mask);
        std::int64_t any_large = 0;
        std::uint64_t of_row = 0;
        for (int l = 0; l < 16; ++l) {
            any_large |= large[l];
            of_row += sum[l];
        }
        k.row_left_out[ci] = any_large != 0;
        if (any_large == 0) total += static_cast<std::int64_t>(of_row);
    }
    return total;
}

} // namespace

int128 HOLON_NAME(run_energies)(Kind kind, Form form, const EnergyData& data)
{
    const auto run = [&data](auto k, auto f) __attribute__((always_inline))
    {
        return energies<k.value, f.value>(data);
    };
    return with_constants(kind, form, run);
}

void HOLON_NAME(fold)(const FoldData& data)
{
    const FoldData d = data;
    for (std::int64_t c = d.begin; c < d.end; ++c) {
        fetch_ahead<true>(d.atoms, c, d.end, d.f);
        const LaneForces* forces = d.forces;
        I4 x{}, y{}, z{};
        for (int p = 0; p < d.n_parts && d.parts[p].first <= c; ++p, forces += d.n_clusters) {
            const std::int32_t* const kept = kept_of(forces, c);
            x += of_atoms(kept);
            y += of_atoms(kept + kept_lanes);
            z += of_atoms(kept + 2 * kept_lanes);
        }
        const I4 first_xy = shuffled<0, 4, 1, 5>(x, y), last_xy = shuffled<2, 6, 3, 7>(x, y);
        const I4 of_atom[] = {shuffled<0, 1, 4, 4>(first_xy, z), shuffled<2, 3, 5, 5>(first_xy, z),
                              shuffled<0, 1, 6, 6>(last_xy, z), shuffled<2, 3, 7, 7>(last_xy, z)};
        for (int a = 0; a < 4; ++a) {
            const std::int32_t atom = d.atoms[4 * c + a];
            if (atom >= 0) subtract_three(d.f + 3 * static_cast<std::int64_t>(atom), of_atom[a], d.shift);
        }
    }
}

std::size_t HOLON_NAME(run_kernel)(Kind kind, Form form, const KernelData& data)
{
    if (kind == Kind::vdw) {
        if (form == Form::force_switch) return run_vdw<Form::force_switch>(data);
        if (form == Form::potential_switch) return run_vdw<Form::potential_switch>(data);
        return run_vdw<Form::plain>(data);
    }
    if (form == Form::force_switch) return run<SwitchedCoulomb<Form::force_switch>>(data);
    if (form == Form::potential_switch) return run<SwitchedCoulomb<Form::potential_switch>>(data);
    if (form == Form::plain) return run<PlainCoulomb>(data);
    return run<EwaldCoulomb>(data);
}

} // namespace holon::pair
