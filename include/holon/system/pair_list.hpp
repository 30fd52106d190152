#pragma once

#include <holon/core/box.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/partition.hpp>
#include <holon/system/topology.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace holon {

/// The kernels' position lattice: 2^-22 nm, 32 bits, relative to an origin of the rank. Differences are exact, so the
/// origin does not matter.
inline constexpr int kernel_bits = 22;
inline constexpr float kernel_unit = 0x1p-22F;

/// Four atoms that are close in space, coordinate by coordinate. Unused places lie far away from everything.
struct alignas(16) Cluster {
    std::int32_t x[4], y[4], z[4];
};

/// Pairs of clusters that may have atoms within the cutoff.
///
/// A superset of the pairs that the kernel's own distance test accepts. An outer list, with a skin, stays complete
/// until some atom has moved by half the skin, which the caller checks at every step. From it an inner list is taken
/// every few steps: the pairs of clusters that may meet before either has moved by more than its own margin, which is
/// predicted from its speed and checked at every step here. So the layout of the list, skin, margins and the moments of
/// rebuilding change no bit of the forces. Exclusions and the zone rule (which rank computes a pair, see Partition) are
/// in the masks.
class PairList {
public:
    static constexpr int width = 4;

    struct Entry {
        std::int32_t cluster;
        std::uint32_t mask; // bit 4 a + b: atom a of the row's cluster with atom b of this one
    };

    explicit PairList(const Topology& topology) : topology_(topology) {}

    /// Sorts the local atoms that take part (one flag each) into clusters and lists the pairs within `cutoff` + `skin`
    /// [nm]; of each row, the entries with atoms that may come closer than `close` last.
    void build(const Atoms& atoms, const std::vector<std::uint8_t>& takes_part, const Partition& partition,
               double cutoff, double skin, double close);

    /// Copies the positions of all atoms into the clusters, once per step, and renews the inner list if it must be.
    void load_positions(const Atoms& atoms);

    /// Square of the largest displacement of an owned atom since build() [nm^2], rounded up.
    double largest_displacement2(const Atoms& atoms) const;

    /// The list is complete while no atom has moved further than this since build() [nm].
    double allowed_displacement() const { return 0.5 * skin_; }

    const std::vector<Cluster>& clusters() const { return clusters_; }
    const std::vector<std::int32_t>& atoms() const { return atoms_; }            // width per cluster; -1: unused place
    std::span<const std::int64_t> row_begin() const { return inner_.row_begin; } // one more than clusters
    std::span<const std::int64_t> row_close() const { return row_close_; }       // first of the close entries
    std::span<const Entry> entries() const
    {
        return std::span(inner_.entries).first(static_cast<std::size_t>(inner_.row_begin.back()));
    }
    std::span<const std::int32_t> named() const { return named_; } // per cluster: how many entries name it

    /// Origin of the cluster coordinates [2^-22 nm].
    const IVec3& origin() const { return origin_; }

private:
    struct Bounds;
    struct Columns; // clusters sorted into columns along z
    class Rules;
    void sort_into(Columns& columns, Bounds& all, const Atoms& atoms, const std::vector<std::int32_t>& members);
    void add_rows(std::span<const Columns> sets, std::size_t zone, std::int32_t first, std::int32_t last, Rules& rules,
                  float reach);
    static Cluster unused_cluster();
    void copy_positions(const Atoms& atoms);
    void take_inner();

    struct Rows {
        std::vector<std::int64_t> row_begin{0};
        std::vector<Entry> entries; // and room for more, which is not filled anew at every search
    };

    const Topology& topology_;
    double skin_ = 0.0;
    float reach_ = 0.0F, close_ = 0.0F; // with what roundings need [nm]
    IVec3 origin_ = IVec3::Zero();
    std::vector<Cluster> clusters_;
    std::vector<std::int32_t> atoms_;
    Rows outer_, inner_;
    std::vector<std::int64_t> row_close_; // of the inner list
    std::vector<std::int32_t> named_;     // by the inner list
    std::vector<IVec3> x_at_build_;       // owned atoms
    // Of the clusters: positions at the last step (none since build()) and when the inner list was taken, margins [nm].
    std::vector<Cluster> before_, at_inner_;
    std::vector<float> margin_, moved_;
    float slack_ = 0.016F;                 // of the margins, beyond what is predicted from speeds [nm]; adapts
    int inner_age_ = 0;                    // steps
    bool inner_counts_ = false;            // for the slack: margins were predicted
    std::vector<std::int32_t> candidates_; // scratch, as the next
    std::vector<Entry> close_entries_;
};

/// Position on the kernel lattice: 2^-48 nm rounded to 2^-22 nm. Shifting by a multiple of 2^-22 nm commutes with it.
inline std::int64_t to_kernel_lattice(std::int64_t x)
{
    constexpr int drop = position_bits - kernel_bits;
    return (x + (std::int64_t{1} << (drop - 1))) >> drop;
}

} // namespace holon
