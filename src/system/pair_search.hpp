#pragma once

#include <holon/system/pair_list.hpp>

#include <cstddef>
#include <cstdint>

/// The searches behind a pair list: one source, compiled once per instruction set, chosen when the program starts.
/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
namespace holon::pair {

inline constexpr int search_width = 16; // bounds are padded to a multiple of it

/// Clusters of a set, in columns along z; in each their lower ends go upwards. `begin` counts clusters of the whole
/// list.
struct ClusterSet {
    std::int32_t first;                                            // of the set
    const float *low_x, *low_y, *low_z, *high_x, *high_y, *high_z; // bounds of the set's clusters [nm]
    const float* top;                    // per cluster: not below its upper end or that of one before it in the column
    const std::int32_t* begin;           // per column
    float column_low[2], column_size[2]; // [nm]
    int n[2];                            // columns along x and y
};

/// Some consecutive clusters of a column, whose partners are searched together.
struct Block {
    float low[3], high[3]; // bounds [nm]
    std::int32_t first;    // its first cluster: partners come no earlier in the list
    float reach;           // [nm]
};

/// The entries of one row, from candidates of its block.
struct RowSearch {
    Clusters clusters;
    CentredClusters centred;  // as many, or none
    std::int32_t own;         // the row's cluster; its partners come no earlier in the list
    float reach, near, apart; // [nm]
    const float* radius;      // per cluster [nm]
    const std::int32_t* candidates;
    std::size_t n_candidates;
    const std::uint32_t *used_rows, *used; // per cluster, see PairList
    const std::uint32_t* left_out;         // per cluster: pairs that are none, as in masks
};

/// Where the entries of a row go, or end. Close: with pairs within the radii of both clusters and `apart`, or some left
/// out; of the others, near: with pairs within `near`.
struct RowEntries {
    std::int32_t *near, *far;
    PairList::Entry* close;
};

/// Which entries of rows [first, last) may come within the cutoff before a cluster has moved by more than its margin,
/// and which of the close ones may come close: the margin of any other cluster counts as the largest there.
struct Prune {
    Clusters clusters;
    CentredClusters centred; // as many, or none
    std::int64_t first, last;
    const PairList::Row* rows; // per cluster, as the next
    PairList::Row* kept_rows;
    const std::uint32_t *used_rows, *used; // per cluster, see PairList
    const float* margin;                   // per cluster [nm]
    float largest_margin;                  // [nm]
    float cutoff, apart;                   // [nm]
    const float* radius;                   // per cluster [nm]
    std::int32_t* kept_far;                // room for all entries of these rows but the near ones, and one more
    PairList::Entry* kept_close;           // for the close ones and one more
    std::int32_t* named; // per cluster: grows by how many of the kept name it, but for those that are near
};

/// A coordinate relative to the middle of a frame, modulo the frame's width. One or a vector of them.
template <class I>
__attribute__((always_inline)) inline I in_frame(I from_middle)
{
    constexpr int above = 31 - frame_bits;
    return from_middle << above >> above;
}

/// Positions of atoms, to be written into clusters.
struct Placing {
    const std::int64_t* x;     // per atom [2^-48 nm]: x, y, z
    const std::int32_t* atoms; // per place; -1: unused, nothing is written there
    std::int32_t origin[3];    // of the clusters [2^-22 nm], modulo 2^32
    std::int64_t n_clusters;
    Cluster* clusters;
};

/// Positions of clusters and those in two earlier steps, last_ago < before_ago.
struct Motion {
    const Cluster *now, *last, *before;
    std::int64_t n_clusters;
    int last_ago, before_ago;
    int n_steps;
    float* farthest; // per cluster [nm]: the result
};

/// What a change of the box adds to positions of clusters (rows): them times `by`, and what it does to their origin.
struct Strain {
    float by[9]; // rows
    float of_origin[3];
};

/// find_candidates: writes the clusters of the set whose bounds are within reach of the block's to `found`, which has
/// room for all and search_width more, and returns how many there are.
/// find_entries: writes the entries of a row, clusters with pairs within reach of its own, to `found`, which has room
/// for one more than there are candidates in each. Returns where they end.
/// place: rounds positions to the kernel lattice, see to_kernel_lattice(), relative to the origin.
/// largest_distance2: the square of the largest distance between two sets of n positions, each x, y, z, in their units.
/// largest_steps: how far the atom of each cluster has moved that moved farthest [nm].
/// expected_steps: how far the atom of each cluster that will move farthest is going to be away from here in one of the
/// next steps: with its velocity and acceleration, and some more where it is accelerated.
/// strain: adds that to n clusters, unused places aside, to a few parts in 10^7 of it.
/// centre: positions relative to the middle; `second` null: in one frame, exact up to 4 nm; else modulo 8 nm in two,
/// the middle of the second being 4 nm further, which is always exact. Returns whether they are, unused places aside.
#define HOLON_DECLARE(variant)                                                                                         \
    std::size_t find_candidates_##variant(const Block& block, const ClusterSet& set, std::int32_t* found);             \
    RowEntries find_entries_##variant(const RowSearch& search, const RowEntries& found);                               \
    void place_##variant(const Placing& placing);                                                                      \
    void prune_##variant(const Prune& data);                                                                           \
    double largest_distance2_##variant(const std::int64_t* a, const std::int64_t* b, std::int64_t n);                  \
    void largest_steps_##variant(const Cluster* now, const Cluster* then, std::int64_t n_clusters, float* step);       \
    void expected_steps_##variant(const Motion& motion);                                                               \
    void strain_##variant(const Strain& strain, std::int64_t n, Cluster* clusters);                                    \
    bool centre_##variant(const Cluster* clusters, const std::int32_t* middle, std::int64_t n, CentredCluster* first,  \
                          CentredCluster* second);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::pair
