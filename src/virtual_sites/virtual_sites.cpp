#include <holon/virtual_sites/virtual_sites.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/lattice.hpp>
#include <holon/core/parallel.hpp>

#include "constructions.hpp"
#include "cut_parents.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <tuple>

namespace holon {

namespace {

using namespace sites;

constexpr std::size_t few_sites = 512; // for a thread

/// Owned sites of one construction.
struct Batch {
    SiteKind kind = SiteKind::linear;
    std::size_t arms = 0;              // parents of a site beside the first
    std::vector<std::int32_t> site;    // local index
    std::vector<std::int32_t> parents; // arms + 1 for each: local index, or of one that is cut off -1 - its number
    std::vector<double> parameters;    // parameter_count() for each
    std::vector<std::uint8_t> grouped; // for each: it is owned wherever its first parent is
};

/// Sites that follow atoms and sites of lower levels.
struct Level {
    std::vector<Batch> batches;
    std::unique_ptr<CutParents> cut; // null: none on any rank
};

IVec3 to_lattice_clamped(const Vec3& r, double unit)
{
    return {round_to_int_clamped(r[0] / unit), round_to_int_clamped(r[1] / unit), round_to_int_clamped(r[2] / unit)};
}

/// The vectors from the first parent of a site to the others [nm], and what these get of its force.
template <class Construction>
struct Scratch {
    std::array<Vec3, std::max<std::size_t>(Construction::arms, 1)> arm, share;
    explicit Scratch(const Construction&) {}
};
template <>
struct Scratch<LinearOfMany> {
    std::vector<Vec3> arm, share;
    explicit Scratch(const LinearOfMany& c) : arm(c.arms), share(c.arms) {}
};

/// The parents of sites of a batch.
struct Parents {
    const Box& box;
    const std::vector<IVec3>& local; // positions
    const CutParents* cut;
    const Batch& batch;

    const std::int32_t* of(std::size_t s) const { return batch.parents.data() + s * (batch.arms + 1); }
    const IVec3& x(std::int32_t parent) const
    {
        return parent >= 0 ? local[index(parent)] : cut->x(index(-1 - parent));
    }

    /// Nearest images.
    void load_arms(std::size_t s, Vec3* arm) const
    {
        const auto* const parent = of(s);
        const IVec3 first = x(parent[0]);
        for (std::size_t m = 0; m < batch.arms; ++m)
            arm[m] = to_real(box.minimum_image(x(parent[m + 1]) - first), position_unit);
    }
};

/// Sites [begin, end) of a batch.
struct Range {
    std::size_t begin, end;
};

template <class Construction>
void place_some(const Construction& construction, const Parents& parents, Range range, std::vector<IVec3>& x)
{
    const auto& batch = parents.batch;
    const auto n_parameters = parameter_count(batch.kind, batch.arms);
    Scratch scratch(construction);
    for (std::size_t s = range.begin; s < range.end; ++s) {
        parents.load_arms(s, scratch.arm.data());
        const Vec3 r = construction.place(scratch.arm.data(), batch.parameters.data() + s * n_parameters);
        IVec3 placed = parents.x(parents.of(s)[0]) + to_lattice_clamped(r, position_unit);
        IVec3& site = x[index(batch.site[s])];
        if (batch.grouped[s] == 0) placed = site + parents.box.minimum_image(placed - site);
        site = placed;
    }
}

using Virial = std::array<FixedSum, 9>;

/// Adds -1/2 r (x) f.
void add_virial(Virial& virial, const Vec3& r, const IVec3& f)
{
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            virial[index(3 * a + b)].add(-0.5 * r[a] * (static_cast<double>(f[b]) * force_unit));
}

/// Adds to forces that several threads may add to.
template <bool threads>
void add_to(IVec3& f, const IVec3& added)
{
    if constexpr (threads)
        for (int k = 0; k < 3; ++k) std::atomic_ref(f[k]).fetch_add(added[k], std::memory_order_relaxed);
    else
        f += added;
}

/// Spreads the forces of sites; returns what becomes of the virial.
template <bool threads, class Construction>
Virial spread_some(const Construction& construction, const Parents& parents, Range range, std::span<IVec3> f,
                   CutParents* cut, bool want_virial)
{
    const auto& batch = parents.batch;
    const auto n_parameters = parameter_count(batch.kind, batch.arms);
    Virial virial{};
    Scratch scratch(construction);
    const auto give = [&](std::int32_t parent, const IVec3& share) {
        add_to<threads>(parent >= 0 ? f[index(parent)] : cut->f(index(-1 - parent)), share);
    };
    for (std::size_t s = range.begin; s < range.end; ++s) {
        const auto* const parent = parents.of(s);
        const auto* const p = batch.parameters.data() + s * n_parameters;
        const IVec3 force = f[index(batch.site[s])];
        f[index(batch.site[s])].setZero();
        if (!Construction::linear) parents.load_arms(s, scratch.arm.data());
        construction.share(scratch.arm.data(), p, to_real(force, force_unit), scratch.share.data());
        IVec3 rest = force;
        for (std::size_t m = 0; m < batch.arms; ++m) {
            const IVec3 share = to_lattice_clamped(scratch.share[m], force_unit);
            rest -= share;
            give(parent[m + 1], share);
            if (!Construction::linear && want_virial) add_virial(virial, scratch.arm[m], share);
        }
        give(parent[0], rest);
        if (!Construction::linear && want_virial) add_virial(virial, -construction.place(scratch.arm.data(), p), force);
    }
    return virial;
}

} // namespace

struct VirtualSites::Impl {
    Communicator comm;
    const Topology& topology;
    const Box& box;
    /// Per molecule type: the site that an atom is, or -1; and per site its level and whether it is grouped.
    struct TypeSites {
        std::vector<std::int32_t> site_of;
        std::vector<std::size_t> level;
        std::vector<std::uint8_t> grouped;
    };
    std::vector<TypeSites> types;
    std::size_t n_levels = 0;
    std::vector<Level> levels;

    Impl(Communicator c, const Topology& t, const Box& b) : comm(std::move(c)), topology(t), box(b)
    {
        for (const auto& molecule : topology.molecule_types) add_type(molecule);
    }

    void add_type(const MoleculeType& molecule)
    {
        auto& type = types.emplace_back();
        if (molecule.virtual_sites.empty()) return;
        const auto heads = find_clusters(molecule).group_head;
        type.site_of.assign(molecule.atoms.size(), -1);
        for (const auto& site : molecule.virtual_sites) {
            std::size_t level = 0;
            for (const auto parent : site.parents)
                if (const auto other = type.site_of[index(parent)]; other >= 0)
                    level = std::max(level, type.level[index(other)] + 1);
            type.site_of[index(site.atom)] = static_cast<std::int32_t>(type.level.size());
            type.level.push_back(level);
            type.grouped.push_back(heads[index(site.atom)] == heads[index(site.parents.front())] ? 1 : 0);
            n_levels = std::max(n_levels, level + 1);
        }
    }

    /// Calls use(local index, molecule type, site, where its molecule starts) for the owned sites.
    template <class Use>
    void for_each_owned_site(const Atoms& atoms, const Partition& partition, Use use) const
    {
        for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
            const auto& place = partition.place()[index(i)];
            const auto& type = types[index(place.molecule_type)];
            if (type.site_of.empty()) continue;
            const auto site = type.site_of[index(place.index)];
            if (site >= 0) use(i, index(place.molecule_type), index(site), place.molecule_start);
        }
    }

    void rebuild(const Atoms& atoms, const Partition& partition)
    {
        levels.clear();
        levels.resize(n_levels);
        std::vector<std::vector<OwnedElsewhere>> wanted(n_levels);
        const auto owned = [&](AtomId id) {
            const auto local = partition.local().find(id);
            HOLON_ASSERT(local >= 0, std::to_string(id));
            return std::pair(local, local < atoms.n_owned);
        };
        for_each_owned_site(atoms, partition, [&](std::int32_t, std::size_t m, std::size_t s, AtomId start) {
            for (const auto parent : topology.molecule_types[m].virtual_sites[s].parents)
                if (const auto [local, mine] = owned(start + parent); !mine)
                    wanted[types[m].level[s]].emplace_back(partition.owner_of(local), start + parent);
        });
        for (std::size_t level = 0; level < n_levels; ++level) {
            auto& list = wanted[level];
            std::ranges::sort(list);
            list.erase(std::ranges::unique(list).begin(), list.end());
            levels[level].cut = CutParents::of(comm, list, partition.local());
        }
        for_each_owned_site(atoms, partition, [&](std::int32_t i, std::size_t m, std::size_t s, AtomId start) {
            const auto& site = topology.molecule_types[m].virtual_sites[s];
            const auto level = types[m].level[s];
            auto& batch = batch_for(levels[level], site);
            batch.site.push_back(i);
            batch.grouped.push_back(types[m].grouped[s]);
            batch.parameters.insert(batch.parameters.end(), site.parameters.begin(), site.parameters.end());
            for (const auto parent : site.parents) {
                auto [local, mine] = owned(start + parent);
                if (!mine) {
                    const OwnedElsewhere elsewhere(partition.owner_of(local), start + parent);
                    local = static_cast<std::int32_t>(wanted[level].begin() - 1 -
                                                      std::ranges::lower_bound(wanted[level], elsewhere));
                }
                batch.parents.push_back(local);
            }
        });
    }

    static Batch& batch_for(Level& level, const VirtualSite& site)
    {
        const auto arms = site.parents.size() - 1;
        HOLON_ASSERT(site.parameters.size() == parameter_count(site.kind, arms), std::to_string(site.atom));
        const auto found = std::ranges::find_if(
            level.batches, [&](const Batch& batch) { return batch.kind == site.kind && batch.arms == arms; });
        if (found != level.batches.end()) return *found;
        return level.batches.emplace_back(Batch{site.kind, arms, {}, {}, {}, {}});
    }

    void place(Atoms& atoms)
    {
        for (auto& level : levels) {
            if (level.cut) level.cut->fetch(atoms.x);
            for (const auto& batch : level.batches) {
                const Parents parents{box, atoms.x, level.cut.get(), batch};
                with_construction(batch.kind, batch.arms, [&](const auto& construction) {
                    parallel_for(batch.site.size(), few_sites, [&](std::size_t begin, std::size_t end) {
                        place_some(construction, parents, {begin, end}, atoms.x);
                    });
                });
            }
        }
    }

    void spread(const Atoms& atoms, std::span<IVec3> f, ForceSums* sums)
    {
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            for (const auto& batch : level->batches) {
                const Parents parents{box, atoms.x, level->cut.get(), batch};
                Virial virial{};
                with_construction(batch.kind, batch.arms, [&](const auto& construction) {
                    virial = parallel_reduce(
                        batch.site.size(), few_sites,
                        [&](std::size_t begin, std::size_t end) {
                            const auto use = Slices(batch.site.size(), few_sites).count() > 1
                                                 ? spread_some<true, std::decay_t<decltype(construction)>>
                                                 : spread_some<false, std::decay_t<decltype(construction)>>;
                            return use(construction, parents, {begin, end}, f, level->cut.get(), sums != nullptr);
                        },
                        [](Virial& total, const Virial& next) {
                            for (std::size_t k = 0; k < 9; ++k) total[k] += next[k];
                        });
                });
                if (sums == nullptr) continue;
                for (std::size_t k = 0; k < 9; ++k) sums->virial[k] += virial[k];
            }
            if (level->cut) level->cut->send_home(f);
        }
    }
};

VirtualSites::VirtualSites(Communicator comm, const Topology& topology, const Box& box)
    : impl_(std::make_unique<Impl>(std::move(comm), topology, box))
{
}

VirtualSites::~VirtualSites() = default;

bool VirtualSites::empty() const
{
    return impl_->n_levels == 0;
}

void VirtualSites::add_needs(std::span<const MoleculeClusters> clusters, std::vector<MoleculeNeeds>& needs) const
{
    for (std::size_t m = 0; m < needs.size(); ++m) {
        const auto& heads = clusters[m].group_head;
        for (const auto& site : impl_->topology.molecule_types[m].virtual_sites) {
            auto& of_site = needs[m].needs[index(site.atom)];
            for (const auto parent : site.parents) {
                if (heads[index(parent)] == heads[index(site.atom)]) continue;
                of_site.push_back(parent);
                needs[m].needed[index(parent)] = true;
            }
            std::ranges::sort(of_site);
            of_site.erase(std::ranges::unique(of_site).begin(), of_site.end());
        }
    }
}

void VirtualSites::rebuild(const Atoms& atoms, const Partition& partition)
{
    if (empty()) return;
    impl_->rebuild(atoms, partition);
    for (auto& level : impl_->levels)
        if (level.cut) level.cut->fetch(atoms.x);
}

void VirtualSites::place(Atoms& atoms)
{
    if (!empty()) impl_->place(atoms);
}

bool VirtualSites::settle_in(Atoms& atoms)
{
    if (empty()) return false;
    const auto n = static_cast<std::ptrdiff_t>(atoms.n_owned);
    const std::vector before(atoms.x.begin(), atoms.x.begin() + n);
    impl_->place(atoms);
    bool changed = !std::equal(before.begin(), before.end(), atoms.x.begin());
    const auto set = [&changed](auto& value, const auto& to) {
        changed |= value != to;
        value = to;
    };
    for (const auto& level : impl_->levels)
        for (const auto& batch : level.batches)
            for (std::size_t s = 0; s < batch.site.size(); ++s) {
                const auto site = index(batch.site[s]);
                set(atoms.v[site], IVec3(IVec3::Zero()));
                if (batch.grouped[s] != 0)
                    set(atoms.image[site], Image(atoms.image[index(batch.parents[s * (batch.arms + 1)])]));
            }
    return impl_->comm.any(changed);
}

void VirtualSites::spread(const Atoms& atoms, std::span<IVec3> f, ForceSums* sums)
{
    if (!empty()) impl_->spread(atoms, f, sums);
}

} // namespace holon
