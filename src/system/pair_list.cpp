#include <holon/system/pair_list.hpp>

#include <holon/system/id_map.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

/// One cluster's search among the clusters of a set. Plain arrays only: see find_partners().
struct Search {
    Point low, high; // bounds of the cluster
    float reach;     // [nm]
    const Cluster* clusters;
    std::int32_t own;                                              // the cluster
    std::int32_t set_first;                                        // first cluster of the set
    const float *low_x, *low_y, *low_z, *high_x, *high_y, *high_z; // bounds of the set's clusters
    const std::int32_t* begin;                                     // per column
    int x_begin, x_end, y_begin, y_end, n_y;                       // columns to search, ends included
};

constexpr int search_width = 16; // bounds are padded to a multiple of it

/// Which of the 16 distances are below the cutoff, if any. The same expression as in the kernels, at a larger cutoff.
inline __attribute__((always_inline)) bool any_within(const Cluster& a, const Cluster& b, float cutoff2)
{
    std::int32_t hits = 0;
    for (int l = 0; l < 16; ++l) {
        const float dx = static_cast<float>(a.x[l / 4] - b.x[l % 4]) * kernel_unit;
        const float dy = static_cast<float>(a.y[l / 4] - b.y[l % 4]) * kernel_unit;
        const float dz = static_cast<float>(a.z[l / 4] - b.z[l % 4]) * kernel_unit;
        hits |= dx * dx + dy * dy + dz * dz < cutoff2 ? 1 : 0;
    }
    return hits != 0;
}

/// Writes the clusters that have atoms within reach to `found` and returns how many there are.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) std::size_t
find_partners(const Search& s, std::int32_t* found)
{
    const float reach2 = s.reach * s.reach;
    std::size_t n = 0;
    for (int x = s.x_begin; x <= s.x_end; ++x)
        for (int y = s.y_begin; y <= s.y_end; ++y) {
            const int column = x * s.n_y + y;
            const std::int32_t end = s.begin[column + 1] - s.set_first;
            std::int32_t c = (s.begin[column] > s.own ? s.begin[column] : s.own) - s.set_first;
            // Bounds along z within a column are ordered: skip what lies below, stop at what lies above.
            for (; c < end && s.low_z[c] <= s.high[2] + s.reach; c += search_width) {
                const std::int32_t last = c + search_width < end ? c + search_width : end;
                if (s.high_z[last - 1] < s.low[2] - s.reach) continue;
                alignas(64) std::int32_t near[search_width];
                for (int l = 0; l < search_width; ++l) {
                    const auto gap = [](float low, float high, float other_low, float other_high) {
                        const float above = low - other_high, below = other_low - high;
                        const float larger = above > below ? above : below;
                        return larger > 0.0F ? larger : 0.0F;
                    };
                    const float dx = gap(s.low[0], s.high[0], s.low_x[c + l], s.high_x[c + l]);
                    const float dy = gap(s.low[1], s.high[1], s.low_y[c + l], s.high_y[c + l]);
                    const float dz = gap(s.low[2], s.high[2], s.low_z[c + l], s.high_z[c + l]);
                    near[l] = dx * dx + dy * dy + dz * dz < reach2 ? 1 : 0;
                }
                for (std::int32_t l = 0; c + l < last; ++l) {
                    const std::int32_t other = s.set_first + c + l;
                    if (near[l] != 0 && any_within(s.clusters[s.own], s.clusters[other], reach2)) found[n++] = other;
                }
            }
        }
    return n;
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
};

/// Which atoms of two clusters are pairs, but for their distance.
class PairList::Rules {
public:
    Rules(const Topology& topology, const PairList& list, const Atoms& atoms)
        : list_(list), next_(list.atoms_.size(), -1), molecule_start_(list.atoms_.size()),
          excluded_(list.atoms_.size()), rows_(list.clusters_.size()), columns_(list.clusters_.size()),
          marked_by_(list.clusters_.size(), -1), marks_(list.clusters_.size())
    {
        first_place_.reset(list.atoms_.size());
        for (std::size_t p = 0; p < list.atoms_.size(); ++p) {
            if (list.atoms_[p] < 0) continue;
            rows_[p / width] |= 1U << width * (p % width);
            columns_[p / width] |= 1U << p % width;
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

    /// Notes the excluded partners of a cluster's atoms, for mask().
    void mark_exclusions(std::int32_t ci)
    {
        for (std::size_t a = 0; a < width; ++a) {
            const auto p = index(ci) * width + a;
            if (list_.atoms_[p] < 0) continue;
            for (const auto partner : *excluded_[p])
                for (auto q = first_place_.find(molecule_start_[p] + partner); q >= 0; q = next_[index(q)]) {
                    const auto cj = index(q / width);
                    if (marked_by_[cj] != ci) marks_[cj] = 0;
                    marked_by_[cj] = ci;
                    marks_[cj] |= 1U << (width * a + index(q % width));
                }
        }
    }

    std::uint32_t mask(std::int32_t ci, std::int32_t cj) const
    {
        constexpr std::uint32_t above_diagonal = 0x08ce; // a < b
        std::uint32_t mask = rows_[index(ci)] * columns_[index(cj)];
        if (ci == cj) mask &= above_diagonal;
        return marked_by_[index(cj)] == ci ? mask & ~marks_[index(cj)] : mask;
    }

private:
    const PairList& list_;
    IdMap first_place_;                                      // by global id
    std::vector<std::int32_t> next_;                         // per place: the next of the same atom
    std::vector<AtomId> molecule_start_;                     // per place
    std::vector<const std::vector<std::int32_t>*> excluded_; // per place: molecule-local
    std::vector<std::uint32_t> rows_, columns_;              // per cluster: bits 4 a, bits a of the used places
    std::vector<std::int32_t> marked_by_;                    // per cluster: whose exclusions marks_ has
    std::vector<std::uint32_t> marks_;
};

void PairList::build(const Atoms& atoms, const std::vector<std::uint8_t>& takes_part, const Partition& partition,
                     double cutoff, double skin)
{
    skin_ = skin;
    clusters_.clear();
    atoms_.clear();
    entries_.clear();
    row_begin_.assign(1, 0);
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
    load_positions(atoms);

    Rules rules(topology_, *this, atoms);
    const float margin = rounding_margin(std::max({all.extent(0), all.extent(1), all.extent(2)}));
    const float reach = static_cast<float>(cutoff + skin) + margin;
    found_.resize(clusters_.size());
    for (std::size_t zi = 0; zi < n_zones; ++zi)
        for (std::int32_t ci = sets[zi].first; ci < sets[zi].last; ++ci) {
            rules.mark_exclusions(ci);
            for (std::size_t zj = zi; zj < n_zones; ++zj)
                if ((zi & zj) == 0)
                    add_partners(ci, sets[zi].bounds[index(ci - sets[zi].first)], sets[zj], rules, reach);
            row_begin_.push_back(static_cast<std::int64_t>(entries_.size()));
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

    struct Key {
        std::int32_t column;
        float z;
        std::int32_t member;
    };
    std::vector<Key> keys(members.size());
    for (std::size_t m = 0; m < members.size(); ++m)
        keys[m] = {columns.column_of(x[m]), x[m][2], static_cast<std::int32_t>(m)};
    std::ranges::sort(
        keys, [](const Key& a, const Key& b) { return a.column != b.column ? a.column < b.column : a.z < b.z; });

    std::size_t next = 0;
    const auto is_in = [&](int column) { return next < keys.size() && keys[next].column == column; };
    for (int column = 0; column < columns.n[0] * columns.n[1]; ++column) {
        columns.begin.push_back(static_cast<std::int32_t>(clusters_.size()));
        while (is_in(column)) {
            clusters_.push_back(unused_cluster());
            Bounds& cluster = columns.bounds.emplace_back(Bounds::empty());
            for (int a = 0; a < width; ++a) {
                const bool used = is_in(column);
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
        columns.cluster_low[k].resize(columns.bounds.size() + search_width, 1e30F);
        columns.cluster_high[k].resize(columns.bounds.size() + search_width, 1e30F);
    }
}

/// Lists the clusters of a set, from `ci` on, that have atoms within `reach` [nm] of cluster `ci`.
void PairList::add_partners(std::int32_t ci, const Bounds& own, const Columns& set, const Rules& rules, float reach)
{
    if (set.first == set.last) return;
    const Search search{.low = own.low,
                        .high = own.high,
                        .reach = reach,
                        .clusters = clusters_.data(),
                        .own = ci,
                        .set_first = set.first,
                        .low_x = set.cluster_low[0].data(),
                        .low_y = set.cluster_low[1].data(),
                        .low_z = set.cluster_low[2].data(),
                        .high_x = set.cluster_high[0].data(),
                        .high_y = set.cluster_high[1].data(),
                        .high_z = set.cluster_high[2].data(),
                        .begin = set.begin.data(),
                        .x_begin = set.place(own.low[0] - reach, 0),
                        .x_end = set.place(own.high[0] + reach, 0),
                        .y_begin = set.place(own.low[1] - reach, 1),
                        .y_end = set.place(own.high[1] + reach, 1),
                        .n_y = set.n[1]};
    const auto n = find_partners(search, found_.data());
    for (std::size_t k = 0; k < n; ++k)
        if (const auto mask = rules.mask(ci, found_[k]); mask != 0) entries_.push_back({found_[k], mask});
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
