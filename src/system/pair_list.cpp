#include <holon/system/pair_list.hpp>

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/parallel.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/system/id_map.hpp>

#include "pair_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace holon {

namespace {

using Point = std::array<float, 3>; // [nm], relative to the rank's origin

/// What the rounding of positions to the kernel lattice, and of bounds and distances to float, can make of a distance
/// in a domain of this extent [nm].
float rounding_margin(float extent)
{
    return 1e-5F + 4.0F * std::numeric_limits<float>::epsilon() * extent;
}

/// Pairs of clusters that are closer than the cutoff less this [nm] stay so while most outer lists live: it does not
/// pay to look at them again. (Nothing but speed depends on it.)
constexpr float near_margin = 0.04F;

constexpr float half_of_frame = static_cast<float>(frame_half) * kernel_unit; // [nm]

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
    std::size_t longest() const
    {
        std::size_t longest = 0;
        for (std::size_t k = 1; k < 3; ++k)
            if (extent(k) > extent(longest)) longest = k;
        return longest;
    }
};

/// Up to 16 atoms of a column, one above the other, cut into clusters: by halves, across the longest extent.
struct PairList::Slab {
    static constexpr std::size_t clusters = 4, size = clusters * width;
    std::array<std::span<std::int32_t>, clusters> parts{};
    std::array<float, clusters> low{}; // of each part along z
    std::size_t n = 0;

    /// `members`: indices of x, which change places.
    Slab(std::span<std::int32_t> members, const std::vector<Point>& x)
    {
        cut(members, x);
        // Upwards, as the search expects them.
        for (std::size_t p = 1; p < n; ++p)
            for (std::size_t q = p; q > 0 && low[q] < low[q - 1]; --q) {
                std::swap(low[q], low[q - 1]);
                std::swap(parts[q], parts[q - 1]);
            }
    }

private:
    void cut(std::span<std::int32_t> members, const std::vector<Point>& x)
    {
        Bounds bounds = Bounds::empty();
        for (const auto m : members) bounds.include(x[index(m)]);
        if (members.size() <= width) {
            low[n] = bounds.low[2];
            parts[n++] = members;
            return;
        }
        const std::size_t left = (members.size() + width - 1) / width / 2 * width; // whole clusters
        const std::size_t k = bounds.longest();
        std::ranges::nth_element(members, members.begin() + static_cast<std::ptrdiff_t>(left), {},
                                 [&x, k](std::int32_t m) { return x[index(m)][k]; });
        cut(members.first(left), x);
        cut(members.subspan(left), x);
    }
};

/// The atoms of one zone in columns along z, two clusters wide; clusters [first, last) of the list belong to it.
struct PairList::Columns {
    std::int32_t first = 0, last = 0;
    std::array<float, 2> low{}, size{};
    std::array<int, 2> n{1, 1};
    std::vector<std::int32_t> begin;                             // per column: its first cluster; one more at the end
    std::vector<Bounds> bounds;                                  // per cluster of this set
    std::array<std::vector<float>, 3> cluster_low, cluster_high; // the same by component, padded for the search
    std::vector<float> top;                                      // per cluster: upper end of its slab

    /// Makes the columns so wide that each cluster of a slab fills about a cube.
    void lay_out(const Bounds& all, std::size_t atoms)
    {
        const float volume = std::max(1e-3F, all.extent(0) * all.extent(1) * all.extent(2));
        const float side =
            2.0F * static_cast<float>(portable::root(volume * width / std::max(1.0F, static_cast<float>(atoms)), 3));
        for (std::size_t k = 0; k < 2; ++k) {
            const float extent = std::max(1e-3F, all.extent(k)) * 1.0001F;
            n[k] = std::clamp(static_cast<int>(extent / side + 0.5F), 1, 4096); // NOLINT(bugprone-incorrect-roundings)
            low[k] = all.low[k];
            size[k] = extent / static_cast<float>(n[k]);
        }
    }

    /// Makes room for the bounds of so many clusters.
    void resize(std::size_t clusters)
    {
        bounds.resize(clusters, Bounds::empty());
        for (auto* component : {&cluster_low, &cluster_high})
            for (auto& of_clusters : *component) of_clusters.resize(clusters + pair::search_width, 1e30F);
        top.resize(clusters);
    }
    void include(std::size_t cluster, const Point& x)
    {
        bounds[cluster].include(x);
        for (std::size_t k = 0; k < 3; ++k) {
            cluster_low[k][cluster] = bounds[cluster].low[k];
            cluster_high[k][cluster] = bounds[cluster].high[k];
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
                .top = top.data(),
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
        : list_(list), next_(list.atoms_.size(), -1), molecule_start_(list.atoms_.size()), excluded_(list.atoms_.size())
    {
        parallel_for(list.atoms_.size(), few_places, [&](std::size_t begin, std::size_t end) {
            for (std::size_t p = begin; p < end; ++p) {
                if (list.atoms_[p] < 0) continue;
                const auto place = topology.place(atoms.id[index(list.atoms_[p])]);
                molecule_start_[p] = place.molecule_start;
                excluded_[p] = &topology.molecule_types[index(place.molecule_type)].exclusions[index(place.index)];
            }
        });
        // Places of one atom (itself and its images) are chained behind the first.
        first_place_.reset(list.atoms_.size());
        for (std::size_t p = 0; p < list.atoms_.size(); ++p) {
            if (list.atoms_[p] < 0) continue;
            const AtomId id = atoms.id[index(list.atoms_[p])];
            const auto here = static_cast<std::int32_t>(p), first = first_place_.find(id);
            if (first < 0) {
                first_place_.insert(id, here);
            } else {
                next_[p] = next_[index(first)];
                next_[index(first)] = here;
            }
        }
    }

    /// Which pairs of a row's cluster are none; holds until the thread's next row.
    void leave_out(std::int32_t ci, Scratch& scratch) const
    {
        const auto mark = [&scratch](std::int32_t cj, std::uint32_t pairs) {
            scratch.left_out[index(cj)] |= pairs;
            scratch.marked.push_back(cj);
        };
        for (const auto cj : scratch.marked) scratch.left_out[index(cj)] = 0;
        scratch.marked.clear();
        constexpr std::uint32_t not_above_diagonal = 0xf731; // a >= b
        mark(ci, not_above_diagonal);
        for (std::size_t a = 0; a < width; ++a) {
            const auto p = index(ci) * width + a;
            if (list_.atoms_[p] < 0) continue;
            for (const auto partner : *excluded_[p])
                for (auto q = first_place_.find(molecule_start_[p] + partner); q >= 0; q = next_[index(q)])
                    mark(q / width, 1U << (width * a + index(q % width)));
        }
    }

private:
    static constexpr std::size_t few_places = 256 * width; // of whole clusters

    const PairList& list_;
    IdMap first_place_;                                      // by global id
    std::vector<std::int32_t> next_;                         // per place: the next of the same atom
    std::vector<AtomId> molecule_start_;                     // per place
    std::vector<const std::vector<std::int32_t>*> excluded_; // per place: molecule-local
};

/// Clusters [first, last), all of one column of a zone, whose partners are searched together.
struct PairList::Block {
    std::size_t zone;
    std::int32_t first, last;
};

void PairList::build(const Atoms& atoms, const std::vector<float>& radii, const Partition& partition, double cutoff,
                     double skin)
{
    skin_ = skin;
    at_inner_.step = other_.step = -1;
    clusters_.clear();
    atoms_.clear();
    outer_.clear();
    inner_.clear();
    parts_.clear();

    // By zone: two atoms are a pair here if they lie further along in no common direction (see Partition).
    constexpr std::size_t n_zones = 8;
    std::array<std::vector<std::int32_t>, n_zones> members;
    IVec3 low = IVec3::Constant(std::numeric_limits<std::int64_t>::max());
    for (std::int32_t i = 0; i < atoms.n_total; ++i) {
        const auto zone = partition.zone()[index(i)];
        if (zone == Partition::named || radii[index(i)] < 0.0F) continue;
        members[zone].push_back(i);
        low = low.cwiseMin(atoms.x[index(i)]);
    }
    if (std::ranges::all_of(members, [](const auto& m) { return m.empty(); })) return;
    for (int k = 0; k < 3; ++k) origin_[k] = to_kernel_lattice(low[k]);

    std::array<Columns, n_zones> sets;
    Bounds all = Bounds::empty();
    for (std::size_t zone = 0; zone < n_zones; ++zone) sort_into(sets[zone], all, atoms, members[zone]);
    roundings_ = rounding_margin(std::max({all.extent(0), all.extent(1), all.extent(2)}));
    reach_ = static_cast<float>(cutoff) + roundings_;
    make_centred(all);
    centred_exact_ = parallel_reduce(
                         clusters_.size(), few_clusters,
                         [&](std::size_t begin, std::size_t end) {
                             copy_positions(atoms, begin, end);
                             return choose_frames(begin, end) && centre_positions(begin, end) ? 1 : 0;
                         },
                         [](int& total, int next) { total &= next; }) != 0;
    if (!centred_exact_) give_up_frames();

    mark_used(radii);
    const Rules rules(topology_, *this, atoms);
    list_rows({sets.data(), sets.size()}, rules);
    share_out_rows();
    step_ = 0;
    take_inner();
}

void PairList::mark_used(const std::vector<float>& radii)
{
    used_rows_.assign(clusters_.size(), 0);
    used_.assign(clusters_.size(), 0);
    radius_.assign(clusters_.size(), 0.0F);
    parallel_for(clusters_.size(), few_clusters, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin * width; p < end * width; ++p) {
            if (atoms_[p] < 0) continue;
            used_rows_[p / width] |= 1U << width * (p % width);
            used_[p / width] |= 1U << p % width;
            radius_[p / width] = std::max(radius_[p / width], radii[index(atoms_[p])]);
        }
    });
}

/// Makes room for centred positions: in one frame where it holds all atoms, else in two. In none where the integers
/// come near to the end of their range, beyond which only their differences are right; and in none of so many atoms
/// that their memory, 24 bytes an atom, counts for more than the 2 % of a step that they save.
void PairList::make_centred(const Bounds& all)
{
    constexpr float in_range = 0x1p30F * kernel_unit; // [nm]
    constexpr std::size_t many = 1 << 16;
    const float longest = all.extent(all.longest());
    const bool one = 0.5F * longest < half_of_frame;
    frames_of_row_.assign(clusters_.size(), 0);
    in_range_ = longest < in_range;
    if (!in_range_ || (!one && clusters_.size() > many)) return give_up_frames();
    for (std::size_t k = 0; k < 3; ++k)
        middle_[k] = static_cast<std::int32_t>(0.5F * (all.low[k] + all.high[k]) / kernel_unit);
    frames_[0].resize(clusters_.size());
    if (one)
        holon::release(frames_[1]);
    else
        frames_[1].resize(clusters_.size());
}

void PairList::give_up_frames()
{
    for (auto& frame : frames_) holon::release(frame);
}

/// The outer list: all partners within the cutoff and the skin.
void PairList::list_rows(std::span<const Columns> sets, const Rules& rules)
{
    constexpr auto block_size = static_cast<std::int32_t>(Slab::clusters); // they have most partners in common
    std::vector<Block> blocks;                                             // in the order of clusters
    for (std::size_t zone = 0; zone < sets.size(); ++zone) {
        const auto& begin = sets[zone].begin;
        for (std::size_t column = 0; column + 1 < begin.size(); ++column)
            for (std::int32_t first = begin[column]; first < begin[column + 1]; first += block_size)
                blocks.push_back({zone, first, std::min(first + block_size, begin[column + 1])});
    }
    // Rows differ much in their work: more parts than threads.
    constexpr int parts_per_thread = 8;
    const auto n_threads = index(thread_count()), n_parts = n_threads > 1 ? parts_per_thread * n_threads : 1;
    found_.resize(n_parts);
    scratch_.resize(n_threads);
    outer_.resize(clusters_.size());
    parallel_parts(static_cast<int>(n_parts), [&](int p, int thread) {
        auto& scratch = scratch_[index(thread)];
        auto& found = found_[index(p)];
        scratch.candidates.resize(clusters_.size() + pair::search_width);
        scratch.left_out.assign(clusters_.size(), 0);
        scratch.marked.clear();
        found.ends.assign(1, {0, 0, 0});
        const auto begin = blocks.size() * index(p) / n_parts, end = blocks.size() * index(p + 1) / n_parts;
        for (auto b = begin; b < end; ++b) add_rows(sets, blocks[b], rules, scratch, found);
        for (std::size_t r = 0; r + 1 < found.ends.size(); ++r) {
            const Ends &first = found.ends[r], &last = found.ends[r + 1];
            outer_[index(blocks[begin].first) + r] = {
                found.near.data() + first.near, found.near.data() + last.near,    found.far.data() + first.far,
                found.far.data() + last.far,    found.close.data() + first.close, found.close.data() + last.close};
        }
    });
}

/// Lists the partners of a block's clusters.
void PairList::add_rows(std::span<const Columns> sets, const Block& rows, const Rules& rules, Scratch& scratch,
                        Found& found) const
{
    const float reach = reach_ + static_cast<float>(skin_);
    const auto& own = sets[rows.zone];
    Bounds bounds = Bounds::empty();
    for (auto ci = rows.first; ci < rows.last; ++ci) bounds.include(own.bounds[index(ci - own.first)]);
    const pair::Block block{.low = {bounds.low[0], bounds.low[1], bounds.low[2]},
                            .high = {bounds.high[0], bounds.high[1], bounds.high[2]},
                            .first = rows.first,
                            .reach = reach};
    // Candidates are near the block, which may be far from the row; in frames they must not seem near it.
    const bool block_fits = frames_[1].empty() || bounds.extent(bounds.longest()) + reach < half_of_frame;
    std::size_t n = 0;
    for (std::size_t other = rows.zone; other < sets.size(); ++other)
        if ((rows.zone & other) == 0 && sets[other].first < sets[other].last)
            n += HOLON_CALL(pair::find_candidates, block, sets[other].view(), scratch.candidates.data() + n);

    pair::RowSearch search{.clusters = {clusters_.data()},
                           .centred = block_fits ? centred() : CentredClusters{},
                           .own = rows.first,
                           .reach = reach,
                           .near = reach_ - near_margin,
                           .apart = roundings_ + static_cast<float>(skin_),
                           .radius = radius_.data(),
                           .candidates = scratch.candidates.data(),
                           .n_candidates = n,
                           .used_rows = used_rows_.data(),
                           .used = used_.data(),
                           .left_out = scratch.left_out.data()};
    const auto make_room = [n](auto& entries, std::size_t listed) {
        const auto needed = listed + n + 1;
        entries.grow(needed);
        return entries.data() + listed;
    };
    for (; search.own < rows.last; ++search.own) {
        rules.leave_out(search.own, scratch);
        const Ends& last = found.ends.back();
        const pair::RowEntries begin{make_room(found.near, last.near), make_room(found.far, last.far),
                                     make_room(found.close, last.close)};
        const auto end = HOLON_CALL(pair::find_entries, search, begin);
        found.ends.push_back({last.near + index(end.near - begin.near), last.far + index(end.far - begin.far),
                              last.close + index(end.close - begin.close)});
    }
}

/// Cuts `members` into clusters, column by column and slab by slab upwards; `all` grows to include them.
void PairList::sort_into(Columns& columns, Bounds& all, const Atoms& atoms, const std::vector<std::int32_t>& members)
{
    columns.first = columns.last = static_cast<std::int32_t>(clusters_.size());
    if (members.empty()) return;
    constexpr std::size_t few_atoms = 1024, few_columns = 8;
    std::vector<Point> x(members.size());
    const auto bounds = parallel_reduce(
        members.size(), few_atoms,
        [&](std::size_t begin, std::size_t end) {
            Bounds slice = Bounds::empty();
            for (std::size_t m = begin; m < end; ++m) {
                const IVec3& at = atoms.x[index(members[m])];
                for (int k = 0; k < 3; ++k)
                    x[m][index(k)] = static_cast<float>(to_kernel_lattice(at[k]) - origin_[k]) * kernel_unit;
                slice.include(x[m]);
            }
            return slice;
        },
        [](Bounds& total, const Bounds& next) { total.include(next); });
    all.include(bounds);
    columns.lay_out(bounds, members.size());

    // Into columns by counting, then upwards in each.
    struct Key {
        float z;
        std::int32_t member;
    };
    const auto n_columns = index(columns.n[0] * columns.n[1]);
    std::vector<std::int32_t> column(members.size());
    parallel_for(members.size(), few_atoms, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m) column[m] = columns.column_of(x[m]);
    });
    std::vector<std::size_t> end(n_columns + 1);
    for (const auto c : column) ++end[index(c) + 1];
    columns.begin.push_back(columns.first);
    for (std::size_t c = 0; c < n_columns; ++c) {
        columns.begin.push_back(columns.begin.back() + static_cast<std::int32_t>((end[c + 1] + width - 1) / width));
        end[c + 1] += end[c];
    }
    std::vector<Key> keys(members.size());
    for (std::size_t m = 0; m < members.size(); ++m)
        keys[end[index(column[m])]++] = {x[m][2], static_cast<std::int32_t>(m)};

    columns.last = columns.begin.back();
    clusters_.resize(index(columns.last), unused_cluster());
    atoms_.resize(index(columns.last) * width, -1);
    columns.resize(index(columns.last - columns.first));
    parallel_for(n_columns, few_columns, [&](std::size_t first, std::size_t last) {
        for (std::size_t c = first; c < last; ++c) {
            std::size_t next = c > 0 ? end[c - 1] : 0;
            std::ranges::sort(std::span(keys).subspan(next, end[c] - next), {}, &Key::z);
            auto cluster = index(columns.begin[c]);
            while (next < end[c]) {
                std::array<std::int32_t, Slab::size> in_slab;
                const auto size = std::min(Slab::size, end[c] - next);
                for (std::size_t m = 0; m < size; ++m) in_slab[m] = keys[next + m].member;
                next += size;
                const Slab slab({in_slab.data(), size}, x);
                for (std::size_t p = 0; p < slab.n; ++p, ++cluster) {
                    const auto in_set = cluster - index(columns.first);
                    columns.top[in_set] = keys[next - 1].z;
                    for (std::size_t a = 0; a < slab.parts[p].size(); ++a) {
                        const auto member = index(slab.parts[p][a]);
                        atoms_[cluster * width + a] = members[member];
                        columns.include(in_set, x[member]);
                    }
                }
            }
        }
    });
}

/// All places far from all atoms and from each other.
Cluster PairList::unused_cluster()
{
    Cluster cluster{};
    for (std::int32_t a = 0; a < width; ++a) cluster.x[a] = -(1 << 28) - a * (1 << 26);
    return cluster;
}

} // namespace holon
