#include <holon/system/pair_list.hpp>

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

/// Which of the 16 distances are below the cutoff. The same expression as in the kernels, at a larger cutoff.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) std::uint32_t
within(const Cluster& a, const Cluster& b, float cutoff2)
{
    std::uint32_t mask = 0;
    alignas(64) std::int32_t hit[16];
    for (int l = 0; l < 16; ++l) {
        const float dx = static_cast<float>(a.x[l / 4] - b.x[l % 4]) * kernel_unit;
        const float dy = static_cast<float>(a.y[l / 4] - b.y[l % 4]) * kernel_unit;
        const float dz = static_cast<float>(a.z[l / 4] - b.z[l % 4]) * kernel_unit;
        hit[l] = dx * dx + dy * dy + dz * dz < cutoff2 ? 1 << l : 0;
    }
    for (int l = 0; l < 16; ++l) mask |= static_cast<std::uint32_t>(hit[l]);
    return mask;
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
    float gap(const Bounds& other, std::size_t k) const
    {
        return std::max(0.0F, std::max(low[k] - other.high[k], other.low[k] - high[k]));
    }
    float distance2(const Bounds& other) const
    {
        const float x = gap(other, 0), y = gap(other, 1), z = gap(other, 2);
        return x * x + y * y + z * z;
    }
};

/// One set of atoms (owned, or copies) in columns along z; clusters [first, last) of the list belong to it.
struct PairList::Columns {
    std::int32_t first = 0, last = 0;
    std::array<float, 2> low{}, size{};
    std::array<int, 2> n{1, 1};
    std::vector<std::int32_t> begin; // per column: its first cluster; one more at the end
    std::vector<Bounds> bounds;      // per cluster of this set

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

/// What decides, beside distance, whether two atoms of the list are a pair.
struct PairList::Rules {
    std::vector<std::uint8_t> zone;                              // per place
    std::vector<AtomId> id;                                      // per place; -1: unused
    std::vector<AtomId> molecule_start;                          // per place
    std::vector<const std::vector<std::int32_t>*> excluded;      // per place: molecule-local
    std::vector<std::array<AtomId, 2>> id_range, excluded_range; // per cluster
    std::vector<std::uint8_t> zones;                             // per cluster: of all its atoms together
    std::vector<std::uint32_t> rows, columns;                    // per cluster: bits 4 a, bits a of the used places

    Rules(const Topology& topology, const PairList& list, const Atoms& atoms, const Partition& partition)
        : zone(list.atoms_.size()), id(list.atoms_.size(), -1), molecule_start(list.atoms_.size()),
          excluded(list.atoms_.size())
    {
        constexpr AtomId big = std::numeric_limits<AtomId>::max();
        id_range.assign(list.clusters_.size(), {big, -1});
        excluded_range.assign(list.clusters_.size(), {big, -1});
        zones.assign(list.clusters_.size(), 0);
        rows.assign(list.clusters_.size(), 0);
        columns.assign(list.clusters_.size(), 0);
        const auto widen = [](std::array<AtomId, 2>& range, AtomId low, AtomId high) {
            range = {std::min(range[0], low), std::max(range[1], high)};
        };
        for (std::size_t p = 0; p < list.atoms_.size(); ++p) {
            if (list.atoms_[p] < 0) continue;
            const auto atom = index(list.atoms_[p]);
            const auto place = topology.place(atoms.id[atom]);
            zone[p] = partition.zone()[atom];
            id[p] = atoms.id[atom];
            zones[p / width] |= zone[p];
            rows[p / width] |= 1U << width * (p % width);
            columns[p / width] |= 1U << p % width;
            molecule_start[p] = place.molecule_start;
            excluded[p] = &topology.molecule_types[index(place.molecule_type)].exclusions[index(place.index)];
            widen(id_range[p / width], id[p], id[p]);
            if (!excluded[p]->empty())
                widen(excluded_range[p / width], place.molecule_start + excluded[p]->front(),
                      place.molecule_start + excluded[p]->back());
        }
    }

    /// The pairs of two clusters that this rank computes.
    std::uint32_t allowed(std::int32_t ci, std::int32_t cj) const
    {
        if (ci != cj && (zones[index(ci)] & zones[index(cj)]) == 0) return rows[index(ci)] * columns[index(cj)];
        std::uint32_t mask = 0;
        for (int a = 0; a < width; ++a)
            for (int b = 0; b < width; ++b) {
                const auto i = index(ci * width + a), j = index(cj * width + b);
                const bool ordered = ci != cj || a < b;
                if (ordered && id[i] >= 0 && id[j] >= 0 && (zone[i] & zone[j]) == 0) mask |= 1U << (width * a + b);
            }
        return mask;
    }

    std::uint32_t without_exclusions(std::uint32_t mask, std::int32_t ci, std::int32_t cj) const
    {
        const auto& lost = excluded_range[index(ci)];
        const auto& there = id_range[index(cj)];
        if (lost[0] > there[1] || there[0] > lost[1]) return mask;
        for (int a = 0; a < width; ++a)
            for (int b = 0; b < width; ++b) {
                const auto i = index(ci * width + a), j = index(cj * width + b);
                if ((mask >> (width * a + b) & 1U) == 0) continue;
                const auto partner = static_cast<std::int32_t>(id[j] - molecule_start[i]);
                if (partner >= 0 && std::ranges::binary_search(*excluded[i], partner)) mask &= ~(1U << (width * a + b));
            }
        return mask;
    }
};

void PairList::build(const Atoms& atoms, const Partition& partition, double cutoff, double skin)
{
    skin_ = skin;
    clusters_.clear();
    atoms_.clear();
    entries_.clear();
    row_begin_.assign(1, 0);
    x_at_build_.assign(atoms.x.begin(), atoms.x.begin() + atoms.n_owned);

    std::vector<std::int32_t> owned, copies;
    IVec3 low = IVec3::Constant(std::numeric_limits<std::int64_t>::max());
    for (std::int32_t i = 0; i < atoms.n_total; ++i) {
        if (partition.zone()[index(i)] == Partition::named) continue;
        (i < atoms.n_owned ? owned : copies).push_back(i);
        low = low.cwiseMin(atoms.x[index(i)]);
    }
    if (owned.empty() && copies.empty()) return;
    for (int k = 0; k < 3; ++k) origin_[k] = to_kernel_lattice(low[k]);

    std::array<Columns, 2> sets;
    Bounds all = Bounds::empty();
    sort_into(sets[0], all, atoms, owned);
    sort_into(sets[1], all, atoms, copies);
    load_positions(atoms);

    const Rules rules(topology_, *this, atoms, partition);
    const float margin = rounding_margin(std::max({all.extent(0), all.extent(1), all.extent(2)}));
    const float reach = static_cast<float>(cutoff + skin) + margin;
    for (std::size_t si = 0; si < 2; ++si)
        for (std::int32_t ci = sets[si].first; ci < sets[si].last; ++ci) {
            for (std::size_t sj = si; sj < 2; ++sj)
                add_partners(ci, sets[si].bounds[index(ci - sets[si].first)], sets[sj], rules, reach);
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
}

/// Lists the clusters of a set, from `ci` on, that have atoms within `reach` [nm] of cluster `ci`.
void PairList::add_partners(std::int32_t ci, const Bounds& own, const Columns& set, const Rules& rules, float reach)
{
    if (set.first == set.last) return;
    const float reach2 = reach * reach;
    const Bounds* first = set.bounds.data();
    const int x_end = set.place(own.high[0] + reach, 0), y_begin = set.place(own.low[1] - reach, 1),
              y_end = set.place(own.high[1] + reach, 1);
    for (int x = set.place(own.low[0] - reach, 0); x <= x_end; ++x)
        for (int y = y_begin; y <= y_end; ++y) {
            // Bounds along z within a column are ordered: skip what lies below, stop at what lies above.
            const auto column = index(x * set.n[1] + y);
            const Bounds* other = first + (std::max(set.begin[column], ci) - set.first);
            const Bounds* end = first + (set.begin[column + 1] - set.first);
            if (end - other > 8)
                other =
                    std::partition_point(other, end, [&](const Bounds& b) { return b.high[2] < own.low[2] - reach; });
            for (; other < end && other->low[2] <= own.high[2] + reach; ++other) {
                if (own.distance2(*other) >= reach2) continue;
                const auto cj = set.first + static_cast<std::int32_t>(other - first);
                if (within(clusters_[index(ci)], clusters_[index(cj)], reach2) == 0) continue;
                const auto mask = rules.without_exclusions(rules.allowed(ci, cj), ci, cj);
                if (mask != 0) entries_.push_back({cj, mask});
            }
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
