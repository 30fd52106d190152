#include <holon/system/pair_list.hpp>

#include <holon/system/id_map.hpp>

#include "pair_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace holon {

namespace {

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

using Point = std::array<float, 3>; // [nm], relative to the rank's origin

/// What the rounding of positions to the kernel lattice, and of bounds and distances to float, can make of a distance
/// in a domain of this extent [nm].
float rounding_margin(float extent)
{
    return 1e-5F + 4.0F * std::numeric_limits<float>::epsilon() * extent;
}

} // namespace

/// Axis-aligned bounds of the atoms of a cluster or of a set.
struct PairList::Bounds {
    Point low, high;

    static Bounds empty()
    {
        constexpr float big = 1e30F;
        return {{big, big, big}, {-big, -big, -big}};
    }
    void include(const Point& x)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], x[k]);
            high[k] = std::max(high[k], x[k]);
        }
    }
    void include(const Bounds& other)
    {
        include(other.low);
        include(other.high);
    }
    float extent(std::size_t k) const { return high[k] - low[k]; }
};

/// The atoms of one zone in columns along z; clusters [first, last) of the list belong to it.
struct PairList::Columns {
    std::int32_t first = 0, last = 0;
    std::array<float, 2> low{}, size{};
    std::array<int, 2> n{1, 1};
    std::vector<std::int32_t> begin;                             // per column: its first cluster; one more at the end
    std::vector<Bounds> bounds;                                  // per cluster of this set
    std::array<std::vector<float>, 3> cluster_low, cluster_high; // the same by component, padded for the search

    /// Makes the columns so wide that four of `atoms` atoms fill about a cube.
    void lay_out(const Bounds& all, std::size_t atoms)
    {
        const float volume = std::max(1e-3F, all.extent(0) * all.extent(1) * all.extent(2));
        const float side = std::cbrt(volume * width / std::max(1.0F, static_cast<float>(atoms)));
        for (std::size_t k = 0; k < 2; ++k) {
            const float extent = std::max(1e-3F, all.extent(k)) * 1.0001F;
            n[k] = std::clamp(static_cast<int>(extent / side + 0.5F), 1, 4096);
            low[k] = all.low[k];
            size[k] = extent / static_cast<float>(n[k]);
        }
    }

    /// Row of columns along x (k = 0) or y (k = 1) in which a coordinate lies; the outermost ones reach to infinity.
    int place(float x, std::size_t k) const
    {
        return std::clamp(static_cast<int>(std::floor((x - low[k]) / size[k])), 0, n[k] - 1);
    }
    int column_of(const Point& x) const { return place(x[0], 0) * n[1] + place(x[1], 1); }

    pair::ClusterSet view() const
    {
        return {.first = first,
                .low_x = cluster_low[0].data(),
                .low_y = cluster_low[1].data(),
                .low_z = cluster_low[2].data(),
                .high_x = cluster_high[0].data(),
                .high_y = cluster_high[1].data(),
                .high_z = cluster_high[2].data(),
                .begin = begin.data(),
                .column_low = {low[0], low[1]},
                .column_size = {size[0], size[1]},
                .n = {n[0], n[1]}};
    }
};

/// Which atoms of two clusters are pairs, but for their distance.
class PairList::Rules {
public:
    Rules(const Topology& topology, const PairList& list, const Atoms& atoms)
        : list_(list), next_(list.atoms_.size(), -1), molecule_start_(list.atoms_.size()),
          excluded_(list.atoms_.size()), used_rows_(list.clusters_.size()), used_(list.clusters_.size()),
          left_out_(list.clusters_.size())
    {
        first_place_.reset(list.atoms_.size());
        for (std::size_t p = 0; p < list.atoms_.size(); ++p) {
            if (list.atoms_[p] < 0) continue;
            used_rows_[p / width] |= 1U << width * (p % width);
            used_[p / width] |= 1U << p % width;
            const AtomId id = atoms.id[index(list.atoms_[p])];
            const auto place = topology.place(id);
            molecule_start_[p] = place.molecule_start;
            excluded_[p] = &topology.molecule_types[index(place.molecule_type)].exclusions[index(place.index)];
            // Places of one atom (itself and its images) are chained behind the first.
            const auto here = static_cast<std::int32_t>(p), first = first_place_.find(id);
            if (first < 0) {
                first_place_.insert(id, here);
            } else {
                next_[p] = next_[index(first)];
                next_[index(first)] = here;
            }
        }
    }

    /// What the search for a row needs to know; holds until the next row's.
    void prepare(std::int32_t ci, pair::RowSearch& search)
    {
        for (const auto cj : marked_) left_out_[index(cj)] = 0;
        marked_.clear();
        constexpr std::uint32_t not_above_diagonal = 0xf731; // a >= b
        leave_out(ci, not_above_diagonal);
        for (std::size_t a = 0; a < width; ++a) {
            const auto p = index(ci) * width + a;
            if (list_.atoms_[p] < 0) continue;
            for (const auto partner : *excluded_[p])
                for (auto q = first_place_.find(molecule_start_[p] + partner); q >= 0; q = next_[index(q)])
                    leave_out(q / width, 1U << (width * a + index(q % width)));
        }
        search.used_rows = used_rows_[index(ci)];
        search.used = used_.data();
        search.left_out = left_out_.data();
    }

private:
    const PairList& list_;
    IdMap first_place_;                                      // by global id
    std::vector<std::int32_t> next_;                         // per place: the next of the same atom
    std::vector<AtomId> molecule_start_;                     // per place
    std::vector<const std::vector<std::int32_t>*> excluded_; // per place: molecule-local
    std::vector<std::uint32_t> used_rows_, used_;            // per cluster: bits 4 a, bits a of the used places
    std::vector<std::uint32_t> left_out_;                    // per cluster: of the pairs with the row's
    std::vector<std::int32_t> marked_;                       // clusters that have any of these

    void leave_out(std::int32_t cj, std::uint32_t pairs)
    {
        left_out_[index(cj)] |= pairs;
        marked_.push_back(cj);
    }
};

void PairList::build(const Atoms& atoms, const std::vector<std::uint8_t>& takes_part, const Partition& partition,
                     double cutoff, double skin, double close)
{
    skin_ = skin;
    clusters_.clear();
    atoms_.clear();
    outer_.row_begin.assign(1, 0);
    inner_.row_begin = outer_.row_begin;
    row_close_.clear();
    named_.clear();
    x_at_build_.assign(atoms.x.begin(), atoms.x.begin() + atoms.n_owned);

    // By zone: two atoms are a pair here if they lie further along in no common direction (see Partition).
    constexpr std::size_t n_zones = 8;
    std::array<std::vector<std::int32_t>, n_zones> members;
    IVec3 low = IVec3::Constant(std::numeric_limits<std::int64_t>::max());
    for (std::int32_t i = 0; i < atoms.n_total; ++i) {
        const auto zone = partition.zone()[index(i)];
        if (zone == Partition::named || takes_part[index(i)] == 0) continue;
        members[zone].push_back(i);
        low = low.cwiseMin(atoms.x[index(i)]);
    }
    if (std::ranges::all_of(members, [](const auto& m) { return m.empty(); })) return;
    for (int k = 0; k < 3; ++k) origin_[k] = to_kernel_lattice(low[k]);

    std::array<Columns, n_zones> sets;
    Bounds all = Bounds::empty();
    for (std::size_t zone = 0; zone < n_zones; ++zone) sort_into(sets[zone], all, atoms, members[zone]);
    copy_positions(atoms);

    Rules rules(topology_, *this, atoms);
    const float margin = rounding_margin(std::max({all.extent(0), all.extent(1), all.extent(2)}));
    reach_ = static_cast<float>(cutoff) + margin;
    close_ = static_cast<float>(close) + margin;
    const float reach = reach_ + static_cast<float>(skin);
    candidates_.resize(clusters_.size() + pair::search_width);
    for (std::size_t zone = 0; zone < n_zones; ++zone) {
        // Clusters of a column one after the other: they have most partners in common.
        constexpr std::int32_t block_size = 4;
        const auto& begin = sets[zone].begin;
        for (std::size_t column = 0; column + 1 < begin.size(); ++column)
            for (std::int32_t first = begin[column]; first < begin[column + 1]; first += block_size)
                add_rows({sets.data(), sets.size()}, zone, first, std::min(first + block_size, begin[column + 1]),
                         rules, reach);
    }
    before_.clear();
    take_inner();
}

/// Lists the partners of clusters [first, last), all of one column of a zone, within `reach` [nm].
void PairList::add_rows(std::span<const Columns> sets, std::size_t zone, std::int32_t first, std::int32_t last,
                        Rules& rules, float reach)
{
    Bounds bounds = Bounds::empty();
    for (auto ci = first; ci < last; ++ci) bounds.include(sets[zone].bounds[index(ci - sets[zone].first)]);
    const pair::Block block{.low = {bounds.low[0], bounds.low[1], bounds.low[2]},
                            .high = {bounds.high[0], bounds.high[1], bounds.high[2]},
                            .first = first,
                            .reach = reach};
    std::size_t n = 0;
    for (std::size_t other = zone; other < sets.size(); ++other)
        if ((zone & other) == 0 && sets[other].first < sets[other].last)
            n += pair::find_candidates(block, sets[other].view(), candidates_.data() + n);

    pair::RowSearch search{.clusters = clusters_.data(),
                           .own = first,
                           .reach = reach,
                           .candidates = candidates_.data(),
                           .n_candidates = n,
                           .used_rows = 0,
                           .used = nullptr,
                           .left_out = nullptr};
    for (; search.own < last; ++search.own) {
        rules.prepare(search.own, search);
        const auto listed = index(outer_.row_begin.back());
        if (outer_.entries.size() < listed + n + 1) outer_.entries.resize(2 * (listed + n + 1));
        const auto found = pair::find_entries(search, outer_.entries.data() + listed);
        outer_.row_begin.push_back(static_cast<std::int64_t>(listed + found));
    }
}

/// Cuts `members` into clusters, column by column and upwards in each; `all` grows to include them.
void PairList::sort_into(Columns& columns, Bounds& all, const Atoms& atoms, const std::vector<std::int32_t>& members)
{
    columns.first = columns.last = static_cast<std::int32_t>(clusters_.size());
    if (members.empty()) return;
    std::vector<Point> x(members.size());
    Bounds bounds = Bounds::empty();
    for (std::size_t m = 0; m < members.size(); ++m) {
        const IVec3& at = atoms.x[index(members[m])];
        for (int k = 0; k < 3; ++k)
            x[m][index(k)] = static_cast<float>(to_kernel_lattice(at[k]) - origin_[k]) * kernel_unit;
        bounds.include(x[m]);
    }
    all.include(bounds.low);
    all.include(bounds.high);
    columns.lay_out(bounds, members.size());

    // Into columns by counting, then upwards in each.
    struct Key {
        float z;
        std::int32_t member;
    };
    const auto n_columns = index(columns.n[0] * columns.n[1]);
    std::vector<std::int32_t> column(members.size());
    std::vector<std::size_t> end(n_columns + 1);
    for (std::size_t m = 0; m < members.size(); ++m) {
        column[m] = columns.column_of(x[m]);
        ++end[index(column[m]) + 1];
    }
    std::partial_sum(end.begin(), end.end(), end.begin());
    std::vector<Key> keys(members.size());
    for (std::size_t m = 0; m < members.size(); ++m)
        keys[end[index(column[m])]++] = {x[m][2], static_cast<std::int32_t>(m)};

    std::size_t next = 0;
    for (std::size_t c = 0; c < n_columns; ++c) {
        columns.begin.push_back(static_cast<std::int32_t>(clusters_.size()));
        std::ranges::sort(std::span(keys).subspan(next, end[c] - next), {}, &Key::z);
        while (next < end[c]) {
            clusters_.push_back(unused_cluster());
            Bounds& cluster = columns.bounds.emplace_back(Bounds::empty());
            for (int a = 0; a < width; ++a) {
                const bool used = next < end[c];
                atoms_.push_back(used ? members[index(keys[next].member)] : -1);
                if (used) cluster.include(x[index(keys[next++].member)]);
            }
        }
    }
    columns.last = static_cast<std::int32_t>(clusters_.size());
    columns.begin.push_back(columns.last);
    for (std::size_t k = 0; k < 3; ++k) {
        for (const auto& cluster : columns.bounds) {
            columns.cluster_low[k].push_back(cluster.low[k]);
            columns.cluster_high[k].push_back(cluster.high[k]);
        }
        columns.cluster_low[k].resize(columns.bounds.size() + pair::search_width, 1e30F);
        columns.cluster_high[k].resize(columns.bounds.size() + pair::search_width, 1e30F);
    }
}

/// All places far from all atoms and from each other.
Cluster PairList::unused_cluster()
{
    Cluster cluster{};
    for (std::int32_t a = 0; a < width; ++a) cluster.x[a] = -(1 << 28) - a * (1 << 26);
    return cluster;
}

void PairList::load_positions(const Atoms& atoms)
{
    const auto n = static_cast<std::int64_t>(clusters_.size());
    before_ = clusters_;
    copy_positions(atoms);
    ++inner_age_;
    pair::largest_steps(clusters_.data(), at_inner_.data(), n, moved_.data());
    std::int32_t too_far = 0;
    for (std::size_t c = 0; c < clusters_.size(); ++c) too_far |= moved_[c] > margin_[c] ? 1 : 0;
    if (too_far != 0) take_inner();
}

/// A longer life costs larger margins, so more pairs at every step. That of the least cost is about three steps, for
/// clusters that move on as they do: slack is what keeps it there, whatever the length of the time step.
void PairList::take_inner()
{
    constexpr int wanted_age = 3;
    constexpr float of_prediction = 0.85F; // speeds of atoms that librate do not last
    if (inner_counts_) slack_ *= inner_age_ <= wanted_age ? 1.05F : 0.98F;
    const auto n = static_cast<std::int64_t>(clusters_.size());
    inner_counts_ = !before_.empty();
    inner_age_ = 0;
    margin_.assign(clusters_.size(), 0.0F);
    moved_.resize(clusters_.size());
    if (inner_counts_) pair::largest_steps(clusters_.data(), before_.data(), n, margin_.data());
    for (float& margin : margin_) margin = of_prediction * wanted_age * margin + slack_;
    at_inner_ = clusters_;
    inner_.row_begin.resize(outer_.row_begin.size());
    inner_.entries.resize(outer_.entries.size());
    row_close_.resize(clusters_.size());
    named_.resize(clusters_.size());
    close_entries_.resize(outer_.entries.size());
    pair::prune({.clusters = clusters_.data(),
                 .n_clusters = n,
                 .row_begin = outer_.row_begin.data(),
                 .entries = outer_.entries.data(),
                 .margin = margin_.data(),
                 .cutoff = reach_,
                 .close = close_,
                 .kept_row_begin = inner_.row_begin.data(),
                 .kept_row_close = row_close_.data(),
                 .kept = inner_.entries.data(),
                 .scratch = close_entries_.data(),
                 .named = named_.data()});
}

void PairList::copy_positions(const Atoms& atoms)
{
    for (std::size_t c = 0; c < clusters_.size(); ++c)
        for (std::size_t a = 0; a < width; ++a) {
            const auto atom = atoms_[c * width + a];
            if (atom < 0) continue;
            const IVec3& x = atoms.x[index(atom)];
            clusters_[c].x[a] = static_cast<std::int32_t>(to_kernel_lattice(x[0]) - origin_[0]);
            clusters_[c].y[a] = static_cast<std::int32_t>(to_kernel_lattice(x[1]) - origin_[1]);
            clusters_[c].z[a] = static_cast<std::int32_t>(to_kernel_lattice(x[2]) - origin_[2]);
        }
}

double PairList::largest_displacement2(const Atoms& atoms) const
{
    double largest = 0.0;
    for (std::size_t i = 0; i < x_at_build_.size(); ++i)
        largest = std::max(largest, to_real(atoms.x[i] - x_at_build_[i], position_unit).squaredNorm());
    return largest * (1.0 + 1e-12);
}

} // namespace holon
