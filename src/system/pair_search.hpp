#pragma once

#include <holon/system/pair_list.hpp>

#include <cstddef>
#include <cstdint>

/// The searches behind a pair list: one source, compiled once per instruction set, chosen when the program starts.
/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
namespace holon::pair {

inline constexpr int search_width = 16; // bounds are padded to a multiple of it

/// One cluster's search among the clusters of a set, which are sorted into columns and upwards in each.
struct Search {
    float low[3], high[3]; // bounds of the cluster [nm]
    float reach;           // [nm]
    const Cluster* clusters;
    std::int32_t own;                                              // the cluster
    std::int32_t set_first;                                        // first cluster of the set
    const float *low_x, *low_y, *low_z, *high_x, *high_y, *high_z; // bounds of the set's clusters
    const std::int32_t* begin;                                     // per column
    int x_begin, x_end, y_begin, y_end, n_y;                       // columns to search, ends included
};

/// Which entries may come within the cutoff before a cluster has moved by more than its margin; in each row, those that
/// may come close are put last.
struct Prune {
    const Cluster* clusters;
    std::int64_t n_clusters;
    const std::int64_t* row_begin;
    const PairList::Entry* entries;
    const float* margin; // per cluster [nm]
    float cutoff, close; // [nm]
    std::int64_t *kept_row_begin, *kept_row_close;
    PairList::Entry *kept, *scratch; // room for all entries each
    std::int32_t* named;             // per cluster: how many of the kept name it
};

#define HOLON_DECLARE(variant)                                                                                         \
    std::size_t find_partners_##variant(const Search& search, std::int32_t* found);                                    \
    void prune_##variant(const Prune& data);                                                                           \
    void largest_steps_##variant(const Cluster* now, const Cluster* then, std::int64_t n_clusters, float* step);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

/// Writes the clusters of the set, from the own one on, that have atoms within reach to `found` and returns how many
/// there are.
std::size_t find_partners(const Search& search, std::int32_t* found);

void prune(const Prune& data);

/// How far the atom of each cluster has moved that moved farthest [nm].
void largest_steps(const Cluster* now, const Cluster* then, std::int64_t n_clusters, float* step);

} // namespace holon::pair
