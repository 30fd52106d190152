#pragma once

#include <system/pair_search.hpp>

#include <holon/core/instruction_sets.hpp>
#include <holon/core/vec3.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

/// Clusters to be searched, and the searches of all instruction sets that this machine has.
namespace holon::test {

struct SearchVariant {
    const char* name;
    std::size_t (*find_candidates)(const pair::Block&, const pair::ClusterSet&, std::int32_t*);
    pair::RowEntries (*find_entries)(const pair::RowSearch&, const pair::RowEntries&);
    void (*place)(const pair::Placing&);
    void (*prune)(const pair::Prune&);
    double (*largest_distance2)(const std::int64_t*, const std::int64_t*, std::int64_t);
    void (*largest_steps)(const Cluster*, const Cluster*, std::int64_t, float*);
    void (*expected_steps)(const pair::Motion&);
    bool (*centre)(const Cluster*, const std::int32_t*, std::int64_t, CentredCluster*, CentredCluster*);
};

inline std::vector<SearchVariant> search_variants()
{
    std::vector<SearchVariant> all{{"baseline", pair::find_candidates_baseline, pair::find_entries_baseline,
                                    pair::place_baseline, pair::prune_baseline, pair::largest_distance2_baseline,
                                    pair::largest_steps_baseline, pair::expected_steps_baseline,
                                    pair::centre_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3)
        all.push_back({"v3", pair::find_candidates_v3, pair::find_entries_v3, pair::place_v3, pair::prune_v3,
                       pair::largest_distance2_v3, pair::largest_steps_v3, pair::expected_steps_v3, pair::centre_v3});
    if (best_instruction_set() >= InstructionSet::v4)
        all.push_back({"v4", pair::find_candidates_v4, pair::find_entries_v4, pair::place_v4, pair::prune_v4,
                       pair::largest_distance2_v4, pair::largest_steps_v4, pair::expected_steps_v4, pair::centre_v4});
#endif
    return all;
}

constexpr std::int32_t n_clusters = 100;

inline Vec3 at(const Cluster& c, std::size_t a)
{
    return Vec3(c.x[a], c.y[a], c.z[a]) * double{kernel_unit};
}

inline double distance(const Cluster& a, const Cluster& b, std::uint32_t mask)
{
    double least = 1e9;
    for (std::size_t l = 0; l < 16; ++l)
        if ((mask >> l & 1U) != 0) least = std::min(least, (at(a, l / 4) - at(b, l % 4)).norm());
    return least;
}

/// Clusters 0.3 nm wide in a box of 2 nm, sorted upwards.
inline std::vector<Cluster> random_clusters(std::mt19937& random, std::int32_t left = 0, std::int32_t right = 8 << 20)
{
    std::uniform_int_distribution<std::int32_t> across(left, right), along(0, 8 << 20), near(-(5 << 17), 5 << 17);
    std::vector<Cluster> clusters(n_clusters);
    std::vector<std::int32_t> heights(n_clusters);
    for (auto& z : heights) z = along(random);
    std::ranges::sort(heights);
    for (std::size_t c = 0; c < n_clusters; ++c) {
        const std::int32_t x = across(random), y = along(random);
        for (std::size_t a = 0; a < 4; ++a) {
            clusters[c].x[a] = x + near(random);
            clusters[c].y[a] = y + near(random);
            // Lower ends in a column go upwards; those of three clusters are alike.
            clusters[c].z[a] = 4 * heights[c / 3 * 3] + static_cast<std::int32_t>(c * 4 + a * (c % 3 == 0 ? 1000 : 1));
        }
    }
    return clusters;
}

struct ClusterBounds {
    Vec3 low, high;
};

inline ClusterBounds bounds_of(const Cluster& c)
{
    ClusterBounds b{at(c, 0), at(c, 0)};
    for (std::size_t a = 1; a < 4; ++a) {
        b.low = b.low.cwiseMin(at(c, a));
        b.high = b.high.cwiseMax(at(c, a));
    }
    return b;
}

/// A set of clusters with its bounds by component.
struct TestSet {
    std::array<std::vector<float>, 3> low, high;
    std::vector<float> top;
    std::vector<std::int32_t> begin;

    /// Columns of 3 nm along x.
    pair::ClusterSet view(std::int32_t first) const
    {
        return {.first = first,
                .low_x = low[0].data(),
                .low_y = low[1].data(),
                .low_z = low[2].data(),
                .high_x = high[0].data(),
                .high_y = high[1].data(),
                .high_z = high[2].data(),
                .top = top.data(),
                .begin = begin.data(),
                .column_low = {-0.5F, -1.0F},
                .column_size = {3.0F, 4.0F},
                .n = {static_cast<int>(begin.size()) - 1, 1}};
    }
    void add(const std::vector<Cluster>& clusters)
    {
        for (const auto& c : clusters)
            for (std::size_t k = 0; k < 3; ++k) {
                low[k].push_back(static_cast<float>(bounds_of(c).low[static_cast<int>(k)]));
                high[k].push_back(static_cast<float>(bounds_of(c).high[static_cast<int>(k)]));
            }
        // Of slabs of three.
        for (std::size_t c = 0; c < clusters.size(); ++c) {
            double highest = 0.0;
            for (std::size_t d = 0; d < std::min(c / 3 * 3 + 3, clusters.size()); ++d)
                highest = std::max(highest, bounds_of(clusters[d]).high[2]);
            top.push_back(static_cast<float>(highest));
        }
    }
};

inline bool same_entry(const PairList::Entry& a, const PairList::Entry& b)
{
    return a.cluster == b.cluster && a.mask == b.mask;
}

} // namespace holon::test
