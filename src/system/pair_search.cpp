// Compiled once per instruction set: see kernel_variant.hpp.
#include "pair_search.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/system/cluster_lanes.hpp>

namespace holon::pair {
namespace {

using namespace lanes;

constexpr float per_nm = 1.0F / kernel_unit;
constexpr std::int32_t unused_below = -(1 << 27); // along x, see PairList

/// The square of a distance [nm] as the kernels have it.
HOLON_INLINE F16 square_of(float distance)
{
    return splat<F16>(distance * per_nm * (distance * per_nm));
}

/// 1 or 0, in a way that keeps compilers from making a branch of what follows: it would be mispredicted.
HOLON_INLINE int as_number(bool b)
{
    int number = b ? 1 : 0;
    asm("" : "+r"(number));
    return number;
}

/// Writes an entry wherever it may belong, and goes on where it does.
template <class T>
HOLON_INLINE void add(T*& next, T entry, int is_one)
{
    *next = entry;
    next += is_one;
}

template <class Positions>
HOLON_INLINE RowEntries find_among(const RowSearch& s, const Positions& positions, RowEntries next)
{
    const RowCluster row(positions, s.own);
    const F16 reach2 = square_of(s.reach), near2 = square_of(s.near);
    const float apart = s.apart + s.radius[s.own];
    const std::uint32_t used_rows = s.used_rows[s.own];
    for (std::size_t k = 0; k < s.n_candidates; ++k) {
        const std::int32_t other = s.candidates[k];
        const std::uint32_t all = used_rows * s.used[other], mask = all & ~s.left_out[other];
        const F16 distance2 = row.from(other).square();
        const int is_one = as_number(any(less(lanes_of(mask), distance2, reach2)) & (other >= s.own));
        const int close = is_one & as_number(any(less(lanes_of(mask), distance2, square_of(apart + s.radius[other]))) |
                                             (mask != all));
        const int not_close = is_one ^ close;
        const int near = not_close & as_number(any(less(lanes_of(mask), distance2, near2)));
        add(next.near, other, near);
        add(next.far, other, not_close ^ near);
        add(next.close, {other, mask}, close);
    }
    return next;
}

template <class Positions>
HOLON_INLINE void prune_rows(const Prune& d, const Positions& positions)
{
    std::int32_t* next_far = d.kept_far;
    PairList::Entry* next_close = d.kept_close;
    const F16 units = splat<F16>(per_nm);
    constexpr std::uint32_t all_lanes = 0xffff; // what is not used is far away, or in lanes that belong to no atom
    for (std::int64_t ci = d.first; ci < d.last; ++ci) {
        const RowCluster row(positions, ci);
        const PairList::Row entries = d.rows[ci];
        std::int32_t* const far = next_far;
        PairList::Entry* const close_entries = next_close;
        const F16 reach = splat<F16>((d.cutoff + d.margin[ci]) * per_nm);
        const auto within_cutoff = [&](std::int32_t other, std::uint32_t mask, F16 distance2)
            __attribute__((always_inline))
        {
            const F16 limit = multiply_add(splat<F16>(d.margin[other]), units, reach);
            const int is_within = as_number(any(less(lanes_of(mask), distance2, limit * limit)));
            d.named[other] += is_within;
            return is_within;
        };
        for (const std::int32_t* e = entries.far; e != entries.far_end; ++e) {
            const std::int32_t other = *e;
            add(next_far, other, within_cutoff(other, all_lanes, row.from(other).square()));
        }
        const float apart = d.apart + d.radius[ci] + d.margin[ci] + d.largest_margin;
        for (const PairList::Entry* e = entries.close; e != entries.close_end; ++e) {
            const PairList::Entry entry = *e;
            const F16 distance2 = row.from(entry.cluster).square();
            const int is_one = within_cutoff(entry.cluster, entry.mask, distance2);
            const F16 close2 = square_of(apart + d.radius[entry.cluster]);
            const int close = is_one & as_number(any(less(lanes_of(entry.mask), distance2, close2)) |
                                                 (entry.mask != d.used_rows[ci] * d.used[entry.cluster]));
            add(next_far, entry.cluster, is_one ^ close);
            add(next_close, entry, close);
        }
        d.kept_rows[ci] = {entries.near, entries.near_end, far, next_far, close_entries, next_close};
    }
}

HOLON_INLINE F4 difference(const std::int32_t* a, const std::int32_t* b)
{
    return converted<F4>(load<I4>(a) - load<I4>(b));
}
HOLON_INLINE float largest(F4 v)
{
    const float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];
    return a > b ? a : b;
}

/// How far two intervals are apart, 0 if they overlap.
HOLON_INLINE F16 gap(float low, float high, const float* other_low, const float* other_high)
{
    const F16 zero{};
    const F16 above = splat<F16>(low) - load<F16>(other_high), below = load<F16>(other_low) - splat<F16>(high);
    const F16 larger = select(above > below, above, below);
    return select(larger > zero, larger, zero);
}

} // namespace

std::size_t HOLON_NAME(find_candidates)(const Block& block, const ClusterSet& set, std::int32_t* found)
{
    const Block b = block; // not to be read again after each store
    const ClusterSet s = set;
    const float reach2 = b.reach * b.reach;
    const auto place = [&s](float x, int k) {
        const float column = (x - s.column_low[k]) / s.column_size[k];
        return column <= 0.0F ? 0 : column >= static_cast<float>(s.n[k]) ? s.n[k] - 1 : static_cast<int>(column);
    };
    // How far a row of columns is away from the block; a little less, for where rounding has put an atom.
    const auto distance_of = [&](int column, int k) {
        const float low = s.column_low[k] + static_cast<float>(column) * s.column_size[k];
        const float above = low - b.high[k], below = b.low[k] - (low + s.column_size[k]);
        const float distance = (above > below ? above : below) - 1e-3F * s.column_size[k];
        return distance > 0.0F ? distance : 0.0F;
    };
    const I16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    std::size_t n = 0;
    const int x_end = place(b.high[0] + b.reach, 0), y_end = place(b.high[1] + b.reach, 1);
    for (int x = place(b.low[0] - b.reach, 0); x <= x_end; ++x) {
        const float dx = distance_of(x, 0);
        for (int y = place(b.low[1] - b.reach, 1); y <= y_end; ++y) {
            const float dy = distance_of(y, 1);
            if (dx * dx + dy * dy >= reach2) continue;
            const int column = x * s.n[1] + y;
            const std::int32_t end = s.begin[column + 1] - s.first;
            std::int32_t c = (s.begin[column] > b.first ? s.begin[column] : b.first) - s.first;
            // Skip what lies below, stop at what lies above.
            for (; c < end && s.low_z[c] <= b.high[2] + b.reach; c += search_width) {
                const std::int32_t last = c + search_width < end ? c + search_width : end;
                if (s.top[last - 1] < b.low[2] - b.reach) continue;
                const F16 gap_x = gap(b.low[0], b.high[0], s.low_x + c, s.high_x + c);
                const F16 gap_y = gap(b.low[1], b.high[1], s.low_y + c, s.high_y + c);
                const F16 gap_z = gap(b.low[2], b.high[2], s.low_z + c, s.high_z + c);
                const F16 distance2 = gap_x * gap_x + gap_y * gap_y + gap_z * gap_z;
                const Lanes in_column = lanes_of((1U << (last - c)) - 1U);
                n += store_only(found + n, less(in_column, distance2, splat<F16>(reach2)), lane + (s.first + c));
            }
        }
    }
    return n;
}

RowEntries HOLON_NAME(find_entries)(const RowSearch& search, const RowEntries& found)
{
    const RowSearch s = search; // not to be read again after each store
    return s.centred.frames[0] != nullptr ? find_among(s, s.centred, found) : find_among(s, s.clusters, found);
}

void HOLON_NAME(prune)(const Prune& data)
{
    const Prune d = data;
    if (d.centred.frames[0] != nullptr)
        prune_rows(d, d.centred);
    else
        prune_rows(d, d.clusters);
}

void HOLON_NAME(place)(const Placing& placing)
{
    using U4 = Vector<std::uint64_t, 4>;
    constexpr int drop = position_bits - kernel_bits;
    const Placing p = placing;
    for (std::int64_t c = 0; c < p.n_clusters; ++c) {
        fetch_ahead<false>(p.atoms, c, p.n_clusters, p.x);
        const I4 atom = load<I4>(p.atoms + 4 * c), unused = atom >> 31, first = 3 * (atom & ~unused);
        const auto take = [&](int k, std::int32_t* place) __attribute__((always_inline))
        {
            const auto* const x = p.x + k;
            const auto of = [&](int a) __attribute__((always_inline))
            {
                return static_cast<std::uint64_t>(x[first[a]]);
            };
            // What the shift brings in at the top is beyond the 32 bits that are kept.
            const U4 rounded = (U4{of(0), of(1), of(2), of(3)} + (std::uint64_t{1} << (drop - 1))) >> drop;
            store(place, select(unused, load<I4>(place), converted<I4>(rounded) - p.origin[k]));
        };
        take(0, p.clusters[c].x);
        take(1, p.clusters[c].y);
        take(2, p.clusters[c].z);
    }
}

double HOLON_NAME(largest_distance2)(const std::int64_t* a, const std::int64_t* b, std::int64_t n)
{
    using F8 = Vector<double, 8>;
    using L8 = Vector<std::int64_t, 8>;
    const auto square = [&](const std::int64_t* p, const std::int64_t* q) __attribute__((always_inline))
    {
        const F8 d = to_doubles<F8>(load<L8>(p) - load<L8>(q));
        return d * d;
    };
    F8 most{};
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8) { // three times eight numbers
        const F8 p = square(a + 3 * i, b + 3 * i), q = square(a + 3 * i + 8, b + 3 * i + 8),
                 r = square(a + 3 * i + 16, b + 3 * i + 16);
        const F8 x = shuffled<0, 3, 6, 9, 12, 15, 0, 0>(p, q), y = shuffled<1, 4, 7, 10, 13, 0, 0, 0>(p, q),
                 z = shuffled<2, 5, 8, 11, 14, 0, 0, 0>(p, q);
        const F8 sum = shuffled<0, 1, 2, 3, 4, 5, 10, 13>(x, r) + shuffled<0, 1, 2, 3, 4, 8, 11, 14>(y, r) +
                       shuffled<0, 1, 2, 3, 4, 9, 12, 15>(z, r);
        most = select(sum > most, sum, most);
    }
    double largest = 0.0;
    for (int l = 0; l < 8; ++l) largest = most[l] > largest ? most[l] : largest;
    for (; i < n; ++i) {
        double sum = 0.0;
        for (std::int64_t k = 3 * i; k < 3 * i + 3; ++k) {
            const auto d = static_cast<double>(a[k] - b[k]);
            sum += d * d;
        }
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

void HOLON_NAME(largest_steps)(const Cluster* now, const Cluster* then, std::int64_t n_clusters, float* step)
{
    for (std::int64_t c = 0; c < n_clusters; ++c) {
        const F4 dx = difference(now[c].x, then[c].x), dy = difference(now[c].y, then[c].y),
                 dz = difference(now[c].z, then[c].z);
        const F4 d2 = dx * dx + dy * dy + dz * dz;
        step[c] = kernel_unit * __builtin_sqrtf(largest(d2));
    }
}

void HOLON_NAME(expected_steps)(const Motion& motion)
{
    const Motion m = motion;
    const auto last_ago = static_cast<float>(m.last_ago), between = static_cast<float>(m.before_ago) - last_ago,
               n_steps = static_cast<float>(m.n_steps);
    // Accelerations change: half of what a steady one moves in all steps is added.
    const float for_change = 0.25F * n_steps * n_steps;
    for (std::int64_t c = 0; c < m.n_clusters; ++c) {
        const Cluster &now = m.now[c], &last = m.last[c], &before = m.before[c];
        F4 velocity[3], acceleration[3]; // per step
        const auto find = [&](int k, const std::int32_t* x, const std::int32_t* x_last, const std::int32_t* x_before)
            __attribute__((always_inline))
        {
            const F4 mean = difference(x, x_last) * (1.0F / last_ago);
            const F4 mean_before = difference(x_last, x_before) * (1.0F / between);
            acceleration[k] = (mean - mean_before) * (2.0F / (last_ago + between));
            velocity[k] = mean + acceleration[k] * (0.5F * last_ago);
        };
        find(0, now.x, last.x, before.x);
        find(1, now.y, last.y, before.y);
        find(2, now.z, last.z, before.z);
        F4 far2{};
        for (int n = 1; n <= m.n_steps; ++n) {
            const auto t = static_cast<float>(n);
            F4 d2{};
            for (int k = 0; k < 3; ++k) {
                const F4 d = t * (velocity[k] + 0.5F * t * acceleration[k]);
                d2 += d * d;
            }
            far2 = select(d2 > far2, d2, far2);
        }
        const F4 a2 =
            acceleration[0] * acceleration[0] + acceleration[1] * acceleration[1] + acceleration[2] * acceleration[2];
        m.farthest[c] = kernel_unit * (__builtin_sqrtf(largest(far2)) + for_change * __builtin_sqrtf(largest(a2)));
    }
}

void HOLON_NAME(strain)(const Strain& strain, std::int64_t n, Cluster* clusters)
{
    const Strain s = strain;
    for (std::int64_t c = 0; c < n; ++c) {
        const I4 old_x = load<I4>(clusters[c].x), old_y = load<I4>(clusters[c].y), old_z = load<I4>(clusters[c].z),
                 is_used = old_x > unused_below;
        const F4 x = converted<F4>(old_x), y = converted<F4>(old_y), z = converted<F4>(old_z);
        const auto move = [&](int k, I4 old, std::int32_t* place) __attribute__((always_inline))
        {
            const F4 by = x * s.by[k] + y * s.by[3 + k] + z * s.by[6 + k] + s.of_origin[k];
            store(place, old + (converted<I4>(by) & is_used));
        };
        move(0, old_x, clusters[c].x);
        move(1, old_y, clusters[c].y);
        move(2, old_z, clusters[c].z);
    }
}

bool HOLON_NAME(centre)(const Cluster* clusters, const std::int32_t* middle, std::int64_t n, CentredCluster* first,
                        CentredCluster* second)
{
    const std::int32_t origin[3] = {middle[0], middle[1], middle[2]};
    I4 beyond{};
    for (std::int64_t c = 0; c < n; ++c) {
        const I4 is_used = load<I4>(clusters[c].x) > unused_below;
        const auto shift = [&](const std::int32_t* x, int k, float* in_first, float* in_second)
            __attribute__((always_inline))
        {
            const I4 from_middle = load<I4>(x) - origin[k];
            if (second == nullptr) {
                store(in_first, converted<F4>(from_middle));
                beyond |= ((from_middle > frame_half) | (from_middle < -frame_half)) & is_used;
                return;
            }
            const auto modulo = [&](I4 v) __attribute__((always_inline))
            {
                return converted<F4>((in_frame(v) & is_used) | (v & ~is_used));
            };
            store(in_first, modulo(from_middle));
            store(in_second, modulo(from_middle - frame_half));
        };
        CentredCluster& other = second != nullptr ? second[c] : first[c];
        shift(clusters[c].x, 0, first[c].x, other.x);
        shift(clusters[c].y, 1, first[c].y, other.y);
        shift(clusters[c].z, 2, first[c].z, other.z);
    }
    return (beyond[0] | beyond[1] | beyond[2] | beyond[3]) == 0;
}

} // namespace holon::pair
