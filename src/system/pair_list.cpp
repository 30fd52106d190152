#include <holon/system/pair_list.hpp>

#include <holon/core/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace holon {

namespace {

using I16 = std::int32_t __attribute__((vector_size(64)));
using F16 = float __attribute__((vector_size(64)));

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// Axis-aligned bounds of a cluster or a column [nm, relative to the rank's origin].
struct Bounds {
    std::array<float, 3> low, high;

    void include(const std::array<float, 3>& x)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], x[k]);
            high[k] = std::max(high[k], x[k]);
        }
    }
    static Bounds empty()
    {
        constexpr float big = 1e30F;
        return {{big, big, big}, {-big, -big, -big}};
    }
};

float gap(const Bounds& a, const Bounds& b, std::size_t k)
{
    return std::max(0.0F, std::max(a.low[k] - b.high[k], b.low[k] - a.high[k]));
}

float distance2(const Bounds& a, const Bounds& b)
{
    const float x = gap(a, b, 0), y = gap(a, b, 1), z = gap(a, b, 2);
    return x * x + y * y + z * z;
}

constexpr float lattice_margin = 1e-5F; // [nm] covers the rounding of bounds and distances to float

} // namespace

/// One set of atoms (owned, or copies) in columns along z; clusters [first, last) of the list belong to it.
struct PairList::Columns {
    std::int32_t first = 0, last = 0;
    std::array<float, 2> low{}, size{};
    std::array<int, 2> n{1, 1};
    std::vector<std::int32_t> begin; // per column: its first cluster; one more at the end
    std::vector<Bounds> bounds;      // per cluster of this set
};

/// Everything the search for neighbours of one cluster needs to know of all clusters.
struct PairList::Search {
    std::vector<std::uint8_t> zone;                              // per place
    std::vector<AtomId> id;                                      // per place; -1: unused
    std::vector<AtomId> molecule_start;                          // per place
    std::vector<const std::vector<std::int32_t>*> excluded;      // per place: molecule-local
    std::vector<std::array<AtomId, 2>> id_range, excluded_range; // per cluster
    float cutoff = 0.0F;

    std::uint32_t allowed(std::int32_t ci, std::int32_t cj) const
    {
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

void PairList::sort_into(Columns& columns, const Atoms& atoms, std::vector<std::int32_t> members)
{
    columns.first = static_cast<std::int32_t>(clusters_.size());
    std::vector<std::array<float, 3>> x(members.size());
    Bounds all = Bounds::empty();
    for (std::size_t m = 0; m < members.size(); ++m) {
        const IVec3& at = atoms.x[index(members[m])];
        for (std::size_t k = 0; k < 3; ++k)
            x[m][k] = static_cast<float>(to_kernel_lattice(at[static_cast<int>(k)]) - origin_[static_cast<int>(k)]) *
                      kernel_unit;
        all.include(x[m]);
    }
    if (members.empty()) all = {{0, 0, 0}, {1, 1, 1}};

    // Columns so wide that four atoms fill about a cube.
    const float volume =
        std::max(1e-3F, (all.high[0] - all.low[0]) * (all.high[1] - all.low[1]) * (all.high[2] - all.low[2]));
    const float side = std::cbrt(volume * width / std::max<float>(1.0F, static_cast<float>(members.size())));
    for (std::size_t k = 0; k < 2; ++k) {
        const float extent = std::max(1e-3F, all.high[k] - all.low[k]) * 1.0001F;
        columns.n[k] = std::clamp(static_cast<int>(extent / side + 0.5F), 1, 4096);
        columns.low[k] = all.low[k];
        columns.size[k] = extent / static_cast<float>(columns.n[k]);
    }
    const auto column_of = [&](const std::array<float, 3>& at) {
        std::array<int, 2> c{};
        for (std::size_t k = 0; k < 2; ++k)
            c[k] = std::clamp(static_cast<int>((at[k] - columns.low[k]) / columns.size[k]), 0, columns.n[k] - 1);
        return c[0] * columns.n[1] + c[1];
    };
    struct Key {
        std::int32_t column;
        float z;
        std::int32_t member;
    };
    std::vector<Key> keys(members.size());
    for (std::size_t m = 0; m < members.size(); ++m) keys[m] = {column_of(x[m]), x[m][2], static_cast<std::int32_t>(m)};
    std::ranges::sort(
        keys, [](const Key& a, const Key& b) { return a.column != b.column ? a.column < b.column : a.z < b.z; });

    const int n_columns = columns.n[0] * columns.n[1];
    std::size_t next = 0;
    for (int c = 0; c < n_columns; ++c) {
        columns.begin.push_back(static_cast<std::int32_t>(clusters_.size()));
        while (next < keys.size() && keys[next].column == c) {
            Bounds bounds = Bounds::empty();
            for (int a = 0; a < width; ++a) {
                const bool used = next < keys.size() && keys[next].column == c;
                atoms_.push_back(used ? members[index(keys[next].member)] : -1);
                if (used) bounds.include(x[index(keys[next++].member)]);
            }
            columns.bounds.push_back(bounds);
            clusters_.emplace_back();
        }
    }
    columns.begin.push_back(static_cast<std::int32_t>(clusters_.size()));
    columns.last = static_cast<std::int32_t>(clusters_.size());
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

namespace {

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
    sort_into(sets[0], atoms, std::move(owned));
    sort_into(sets[1], atoms, std::move(copies));
    // Unused places: far from all atoms and from each other.
    for (std::size_t c = 0; c < clusters_.size(); ++c)
        for (std::size_t a = 0; a < width; ++a) {
            clusters_[c].x[a] = -(1 << 28) - static_cast<std::int32_t>(a) * (1 << 26);
            clusters_[c].y[a] = clusters_[c].z[a] = 0;
        }
    load_positions(atoms);

    Search search;
    search.cutoff = static_cast<float>(cutoff + skin) + lattice_margin;
    const auto places = atoms_.size();
    search.zone.resize(places);
    search.id.assign(places, -1);
    search.molecule_start.resize(places);
    search.excluded.resize(places);
    constexpr AtomId big = std::numeric_limits<AtomId>::max();
    search.id_range.assign(clusters_.size(), {big, -1});
    search.excluded_range.assign(clusters_.size(), {big, -1});
    for (std::size_t p = 0; p < places; ++p) {
        if (atoms_[p] < 0) continue;
        const auto id = atoms.id[index(atoms_[p])];
        const auto place = topology_.place(id);
        search.zone[p] = partition.zone()[index(atoms_[p])];
        search.id[p] = id;
        search.molecule_start[p] = place.molecule_start;
        search.excluded[p] = &topology_.molecule_types[index(place.molecule_type)].exclusions[index(place.index)];
        auto& range = search.id_range[p / width];
        range = {std::min(range[0], id), std::max(range[1], id)};
        if (search.excluded[p]->empty()) continue;
        auto& lost = search.excluded_range[p / width];
        lost = {std::min(lost[0], place.molecule_start + search.excluded[p]->front()),
                std::max(lost[1], place.molecule_start + search.excluded[p]->back())};
    }

    const float reach = search.cutoff, reach2 = reach * reach;
    for (std::size_t si = 0; si < 2; ++si)
        for (std::int32_t ci = sets[si].first; ci < sets[si].last; ++ci) {
            const Bounds& bi = sets[si].bounds[index(ci - sets[si].first)];
            for (std::size_t sj = si; sj < 2; ++sj) {
                const auto& set = sets[sj];
                if (set.first == set.last) continue;
                std::array<int, 2> from{}, to{};
                for (std::size_t k = 0; k < 2; ++k) {
                    const auto column = [&](float at) {
                        return std::clamp(static_cast<int>(std::floor((at - set.low[k]) / set.size[k])), 0,
                                          set.n[k] - 1);
                    };
                    from[k] = column(bi.low[k] - reach);
                    to[k] = column(bi.high[k] + reach);
                }
                for (int cx = from[0]; cx <= to[0]; ++cx)
                    for (int cy = from[1]; cy <= to[1]; ++cy) {
                        const auto c = index(cx * set.n[1] + cy);
                        // Bounds along z within a column are ordered: skip what lies below, stop at what lies above.
                        auto cj = std::max(set.begin[c], sj == si ? ci : 0);
                        const auto end = set.begin[c + 1];
                        const auto* bounds = set.bounds.data() - set.first;
                        if (end - cj > 8)
                            cj = static_cast<std::int32_t>(
                                std::partition_point(bounds + cj, bounds + end,
                                                     [&](const Bounds& b) { return b.high[2] < bi.low[2] - reach; }) -
                                bounds);
                        for (; cj < end && bounds[cj].low[2] <= bi.high[2] + reach; ++cj) {
                            if (distance2(bi, bounds[cj]) >= reach2) continue;
                            auto mask = within(clusters_[index(ci)], clusters_[index(cj)], reach2);
                            if (mask == 0) continue;
                            mask = search.allowed(ci, cj);
                            mask = search.without_exclusions(mask, ci, cj);
                            if (mask != 0) entries_.push_back({cj, mask});
                        }
                    }
            }
            row_begin_.push_back(static_cast<std::int64_t>(entries_.size()));
        }
}

} // namespace holon
