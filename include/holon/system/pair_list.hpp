#pragma once

#include <holon/core/box.hpp>
#include <holon/core/index.hpp>
#include <holon/core/memory.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/partition.hpp>
#include <holon/system/topology.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace holon {

/// The kernels' position lattice: 2^-22 nm, 32 bits, relative to an origin of the rank. Differences are exact, so the
/// origin does not matter.
inline constexpr int kernel_bits = 22;
inline constexpr float kernel_unit = 0x1p-22F;

/// Four atoms that are close in space, coordinate by coordinate. Unused places lie far away from everything.
template <class T>
struct alignas(16) ClusterOf {
    T x[4], y[4], z[4];
};
using Cluster = ClusterOf<std::int32_t>;

/// The same relative to a middle. No further from it than 2^24 units, 4 nm, these are exact, and differences are the
/// integers' rounded once: either gives the same bits.
using CentredCluster = ClusterOf<float>;
inline constexpr int frame_bits = 24;
inline constexpr std::int32_t frame_half = 1 << frame_bits;

/// Positions as the rows of a list read them, per cluster.
struct Clusters {
    using Number = std::int32_t;
    const Cluster* positions;
    __attribute__((always_inline)) const Cluster* of_row(std::int64_t, int) const { return positions; }
};

/// The same relative to the middle of the rank's atoms. Where some are further from it than 4 nm, positions are taken
/// modulo 8 nm, so that the ends of this frame are seams, and there is a second frame, whose seams are 4 nm away from
/// those of the first. A row takes, for each axis, one without a seam between its atoms and those within reach of them.
struct CentredClusters {
    using Number = float;
    const CentredCluster* frames[2];   // null: none
    const std::uint8_t* frames_of_row; // per cluster; bit k: along axis k it is the second
    __attribute__((always_inline)) const CentredCluster* of_row(std::int64_t row, int k) const
    {
        return frames[frames_of_row[row] >> k & 1];
    }
};

/// Pairs of clusters that may have atoms within the cutoff.
///
/// A superset of the pairs that the kernel's own distance test accepts. An outer list, with a skin, stays complete
/// until some atom has moved by half the skin, which the caller checks at every step. From it an inner list is taken
/// every few steps: the pairs of clusters that may meet before either has moved by more than its own margin, which is
/// predicted from its motion and checked at every step here. So the layout of the list, skin, margins and the moments
/// of rebuilding change no bit of the forces. The zone rule says which rank computes a pair, see Partition.
class PairList {
public:
    static constexpr int width = 4;
    static constexpr std::size_t few_clusters = 64; // too few for a thread

    struct Entry {
        std::int32_t cluster;
        std::uint32_t mask; // bit 4 a + b: atom a of the row's cluster with atom b of this one
    };

    /// The partners of one cluster: those none of whose atoms may come close, and of which all are pairs, by their
    /// number alone; and the others. Of the former, those that were `near` when the outer list was made stay in the
    /// inner list as long as it lives.
    struct Row {
        const std::int32_t *near, *near_end, *far, *far_end;
        const Entry *close, *close_end;
        std::size_t size() const { return index((near_end - near) + (far_end - far) + (close_end - close)); }
    };

    /// Rows [first, last): those of a thread.
    struct Part {
        std::int64_t first, last;
    };

    explicit PairList(const Topology& topology) : topology_(topology) {}
    PairList(const PairList&) = delete;
    PairList& operator=(const PairList&) = delete;

    /// Radius of an atom that is in no pair.
    static constexpr float no_radius = -1.0F;

    /// Sorts the local atoms that have a radius (one each) into clusters and lists the pairs within `cutoff` + `skin`
    /// [nm]; of each row, apart, the partners with atoms that may come close: closer than the sum of two radii [nm], as
    /// the largest of either cluster's atoms has it.
    void build(const Atoms& atoms, const std::vector<float>& radii, const Partition& partition, double cutoff,
               double skin);

    /// Gives the memory of the entries back: there are none until the next build().
    void release();

    /// Copies the positions of all atoms into the clusters, once per step, and renews the inner list if it must be.
    void load_positions(const Atoms& atoms);

    /// What clusters are expected to do goes along with the box, whose change maps positions (rows) so.
    void follow_box(const Mat3& map);

    /// Square of the largest distance between positions [2^-48 nm] of two sets [nm^2], rounded up.
    static double largest_distance2(std::span<const IVec3> a, std::span<const IVec3> b);
    /// The list is complete while no atom has moved further than this since build() [nm].
    double allowed_displacement() const { return 0.5 * skin_; }

    const std::vector<Cluster>& clusters() const { return clusters_; }
    /// As many, or none where they are not exact.
    CentredClusters centred() const
    {
        if (!centred_exact_) return {};
        return {{frames_[0].data(), frames_[1].empty() ? nullptr : frames_[1].data()}, frames_of_row_.data()};
    }
    const std::vector<std::int32_t>& atoms() const { return atoms_; } // width per cluster; -1: unused place
    const std::vector<Row>& rows() const { return inner_; }           // per cluster; partners come no earlier
    /// Per cluster: bits 4 a, bits b of its used places. The product for two clusters is the mask of all their pairs.
    const std::vector<std::uint32_t>& used_rows() const { return used_rows_; }
    const std::vector<std::uint32_t>& used() const { return used_; }

    /// Calls use(entry) for all of a row.
    template <class Use>
    void for_each_entry(std::size_t ci, Use use) const
    {
        const Row& row = inner_[ci];
        for (const auto part : {std::span(row.near, row.near_end), std::span(row.far, row.far_end)})
            for (const auto cj : part) use(Entry{cj, used_rows_[ci] * used_[index(cj)]});
        for (const auto entry : std::span(row.close, row.close_end)) use(entry);
    }

    /// The rows shared out: about as many entries to each thread.
    const std::vector<Part>& parts() const { return parts_; }
    /// Per cluster: how many entries of a part name it; only from the part's first row on.
    const std::int32_t* named(std::size_t part) const { return named_.data() + part * clusters_.size(); }

    /// Origin of the cluster coordinates [2^-22 nm].
    const IVec3& origin() const { return origin_; }

private:
    struct Bounds;
    struct Columns; // clusters sorted into columns along z
    struct Slab;    // of a column
    class Rules;
    struct Block; // of rows
    struct Ends { // of a row
        std::size_t near, far, close;
    };
    struct Found { // by the search of some blocks; and room for more, which is not filled anew at every search
        Room<std::int32_t> near, far;
        Room<Entry> close;
        std::vector<Ends> ends; // per row, after one of zeros
    };
    struct Scratch { // of a thread
        std::vector<std::int32_t> candidates;
        std::vector<std::uint32_t> left_out; // per cluster: of the pairs with the row's
        std::vector<std::int32_t> marked;    // clusters that have any of these
    };
    struct Past { // where clusters were
        std::vector<Cluster> clusters;
        std::int64_t step = -1; // as step_; -1: unknown
    };
    void sort_into(Columns& columns, Bounds& all, const Atoms& atoms, const std::vector<std::int32_t>& members);
    void make_centred(const Bounds& all);
    void give_up_frames();
    bool choose_frames(std::size_t begin, std::size_t end);
    void list_rows(std::span<const Columns> sets, const Rules& rules);
    void add_rows(std::span<const Columns> sets, const Block& block, const Rules& rules, Scratch& scratch,
                  Found& found) const;
    void mark_used(const std::vector<float>& radii);
    void share_out_rows();
    static Cluster unused_cluster();
    void copy_positions(const Atoms& atoms, std::size_t begin, std::size_t end);
    bool centre_positions(std::size_t begin, std::size_t end);
    void take_inner();
    float predict_margins();
    void adapt_slack(float factor);
    void remember(Past& past);

    const Topology& topology_;
    double skin_ = 0.0;
    float reach_ = 0.0F, roundings_ = 0.0F; // the cutoff, with what roundings need [nm]; that alone
    IVec3 origin_ = IVec3::Zero();
    std::vector<Cluster> clusters_;
    std::array<std::vector<CentredCluster>, 2> frames_; // none, one or both
    std::vector<std::uint8_t> frames_of_row_;
    std::array<std::int32_t, 3> middle_{}; // origin of the first frame
    bool centred_exact_ = false;
    bool in_range_ = false; // integers are positions, not only their differences
    std::vector<std::int32_t> atoms_;
    std::vector<std::uint32_t> used_rows_, used_;
    std::vector<float> radius_; // per cluster: the largest of its atoms
    std::vector<Found> found_;  // has the entries of the outer list
    std::vector<Row> outer_, inner_;
    // Entries of the inner list that are not near: room for those of the outer one.
    Room<std::int32_t> inner_far_;
    Room<Entry> inner_close_;
    struct Before { // entries of the outer list before a part
        std::size_t all, near, close;
    };
    std::vector<Part> parts_;
    std::vector<Before> before_parts_;
    std::vector<std::int32_t> named_, named_near_; // by the inner list, see named(); by its entries that stay
    std::int64_t step_ = 0;                        // of positions, since build()
    int steps_left_ = 0;                           // before the next inner list is due
    // When the inner list was taken, and in another step: an earlier one at first, a later one at last. In the last
    // step of an inner list the first is no longer needed as such, and becomes that step.
    Past at_inner_, other_;
    std::vector<float> margin_;                 // per cluster: how far it may move with the inner list [nm]
    bool predicted_ = false;                    // margins have been
    float strain_ = 0.0F;                       // of the box, since the inner list was taken
    std::array<float, 2> slack_{0.03F, 0.003F}; // of margins without a prediction and with one [nm]; adapts
    std::vector<Scratch> scratch_;
};

/// Position on the kernel lattice: 2^-48 nm rounded to 2^-22 nm. Shifting by a multiple of 2^-22 nm commutes with it.
inline std::int64_t to_kernel_lattice(std::int64_t x)
{
    constexpr int drop = position_bits - kernel_bits;
    return (x + (std::int64_t{1} << (drop - 1))) >> drop;
}

} // namespace holon
