// Compiled once per instruction set, with HOLON_VARIANT naming it; see CMakeLists.txt.
#include "pair_search.hpp"

#include <holon/core/instruction_sets.hpp>
#include <holon/system/cluster_lanes.hpp>

#if !defined(HOLON_VARIANT)
#define HOLON_VARIANT baseline
#define HOLON_DISPATCH
#endif
#define HOLON_JOIN(name, variant) name##_##variant
#define HOLON_NAME(name, variant) HOLON_JOIN(name, variant)

namespace holon::pair {
namespace {

using namespace lanes;

/// Distances between the atoms of two clusters: the kernels' expression.
class Row {
public:
    HOLON_INLINE explicit Row(const Cluster& own)
        : x_(rows(load<I4>(own.x))), y_(rows(load<I4>(own.y))), z_(rows(load<I4>(own.z)))
    {
    }
    /// Squares of the distances [2^-44 nm^2].
    HOLON_INLINE F16 distances2(const Cluster& other) const
    {
        const F16 dx = __builtin_convertvector(x_ - columns(load<I4>(other.x)), F16);
        const F16 dy = __builtin_convertvector(y_ - columns(load<I4>(other.y)), F16);
        const F16 dz = __builtin_convertvector(z_ - columns(load<I4>(other.z)), F16);
        return multiply_add(dz, dz, multiply_add(dy, dy, dx * dx));
    }

private:
    I16 x_, y_, z_;
};

/// Which of the squares are below that of a distance [nm].
HOLON_INLINE Lanes below(Lanes among, F16 distances2, float distance)
{
    constexpr float per_nm = 1.0F / kernel_unit;
    return less(among, distances2, splat<F16>(distance * per_nm * (distance * per_nm)));
}

/// How far two intervals are apart, 0 if they overlap.
HOLON_INLINE F16 gap(float low, float high, const float* other_low, const float* other_high)
{
    const F16 zero{};
    const F16 above = splat<F16>(low) - load<F16>(other_high), below = load<F16>(other_low) - splat<F16>(high);
    const F16 larger = above > below ? above : below;
    return larger > zero ? larger : zero;
}

} // namespace

std::size_t HOLON_NAME(find_candidates, HOLON_VARIANT)(const Block& block, const ClusterSet& set, std::int32_t* found)
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
            // Bounds along z within a column are ordered: skip what lies below, stop at what lies above.
            for (; c < end && s.low_z[c] <= b.high[2] + b.reach; c += search_width) {
                const std::int32_t last = c + search_width < end ? c + search_width : end;
                if (s.high_z[last - 1] < b.low[2] - b.reach) continue;
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

std::size_t HOLON_NAME(find_entries, HOLON_VARIANT)(const RowSearch& search, PairList::Entry* found)
{
    const RowSearch s = search; // not to be read again after each store
    const Row row(s.clusters[s.own]);
    std::size_t n = 0;
    for (std::size_t k = 0; k < s.n_candidates; ++k) {
        const std::int32_t other = s.candidates[k];
        const std::uint32_t mask = s.used_rows * s.used[other] & ~s.left_out[other];
        found[n] = {other, mask};
        const bool near = any(below(lanes_of(mask), row.distances2(s.clusters[other]), s.reach));
        n += (near & (other >= s.own)) ? 1 : 0;
    }
    return n;
}

void HOLON_NAME(prune, HOLON_VARIANT)(const Prune& data)
{
    const Prune d = data;
    PairList::Entry* kept = d.kept;
    for (std::int64_t c = d.first; c < d.n_clusters; ++c) d.named[c] = 0;
    for (std::int64_t ci = d.first; ci < d.last; ++ci) {
        const Row row(d.clusters[ci]);
        PairList::Entry* const begin = kept;
        std::int64_t n_close = 0;
        const PairList::Entry* const end = d.rows[ci].end;
        for (const PairList::Entry* e = d.rows[ci].begin; e != end; ++e) {
            const PairList::Entry entry = *e;
            const float margins = d.margin[ci] + d.margin[entry.cluster];
            const Lanes among = lanes_of(entry.mask);
            const F16 distances2 = row.distances2(d.clusters[entry.cluster]);
            const bool near = any(below(among, distances2, d.cutoff + margins));
            const bool close = any(below(among, distances2, d.close + margins));
            *kept = entry;
            d.scratch[n_close] = entry;
            kept += (near & !close) ? 1 : 0;
            n_close += (near & close) ? 1 : 0;
            d.named[entry.cluster] += near ? 1 : 0;
        }
        PairList::Entry* const close_begin = kept;
        for (std::int64_t e = 0; e < n_close; ++e) *kept++ = d.scratch[e];
        d.kept_rows[ci] = {begin, close_begin, kept};
    }
}

void HOLON_NAME(largest_steps, HOLON_VARIANT)(const Cluster* now, const Cluster* then, std::int64_t n_clusters,
                                              float* step)
{
    for (std::int64_t c = 0; c < n_clusters; ++c) {
        float largest = 0.0F;
        for (int a = 0; a < PairList::width; ++a) {
            const auto dx = static_cast<float>(now[c].x[a] - then[c].x[a]);
            const auto dy = static_cast<float>(now[c].y[a] - then[c].y[a]);
            const auto dz = static_cast<float>(now[c].z[a] - then[c].z[a]);
            const float d2 = dx * dx + dy * dy + dz * dz;
            largest = d2 > largest ? d2 : largest;
        }
        step[c] = kernel_unit * __builtin_sqrtf(largest);
    }
}

#if defined(HOLON_DISPATCH)
std::size_t find_candidates(const Block& block, const ClusterSet& set, std::int32_t* found)
{
    return HOLON_CALL(find_candidates, block, set, found);
}
std::size_t find_entries(const RowSearch& search, PairList::Entry* found)
{
    return HOLON_CALL(find_entries, search, found);
}
void prune(const Prune& data)
{
    HOLON_CALL(prune, data);
}
void largest_steps(const Cluster* now, const Cluster* then, std::int64_t n_clusters, float* step)
{
    HOLON_CALL(largest_steps, now, then, n_clusters, step);
}
#endif

} // namespace holon::pair
