#include "newton_ranks.hpp"

#include "cut_clusters/cut_clusters.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/system/owners.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

namespace holon {

Place RecordExchange::add(std::vector<Part>& parts, int rank, std::size_t n, std::int32_t cluster)
{
    auto part = std::ranges::find(parts, rank, &Part::rank);
    if (part == parts.end()) part = parts.insert(part, Part{rank, 0, {}});
    const Place place{static_cast<std::int32_t>(part - parts.begin()), part->n};
    part->n += n;
    if (part->clusters.empty() || part->clusters.back() != cluster) part->clusters.push_back(cluster);
    return place;
}

void RecordExchange::open(const Communicator& comm, std::size_t bytes_per_element, int channel)
{
    const auto parts = [&](const std::vector<Part>& list) {
        std::vector<BufferExchange::Part> result;
        for (const auto& part : list) result.push_back({part.rank, part.n * bytes_per_element});
        return result;
    };
    own_rank_ = comm.rank();
    bytes_per_element_ = bytes_per_element;
    send_now_.resize(sends_.size());
    receive_now_.resize(receives_.size());
    exchange_.emplace(comm, parts(sends_), parts(receives_), channel);
}

void RecordExchange::run(const std::vector<std::uint8_t>& active, ConstraintResult& result)
{
    const auto choose = [&](const std::vector<Part>& parts, std::vector<std::uint8_t>& now) {
        for (std::size_t p = 0; p < parts.size(); ++p)
            now[p] = std::ranges::any_of(parts[p].clusters, [&](std::int32_t c) { return active[index(c)] != 0; });
    };
    choose(sends_, send_now_);
    choose(receives_, receive_now_);
    exchange_->start(send_now_, receive_now_);
    exchange_->wait();
    exchange_->wait_for_sends();
    for (std::size_t p = 0; p < sends_.size(); ++p) {
        if (sends_[p].rank == own_rank_ || send_now_[p] == 0) continue;
        ++result.messages;
        result.bytes += static_cast<std::int64_t>(sends_[p].n * bytes_per_element_);
    }
}

/// Fills a BranchTable. Clusters that are cut come in the order of their keys, so that partners write their records in
/// the same order.
class BranchTable::Builder {
public:
    Builder(BranchTable& table, const Communicator& comm, const Atoms& atoms, const AtomDirectory& directory,
            TreeUse use)
        : table_(table), comm_(comm), atoms_(atoms), directory_(directory), use_(use)
    {
    }

    void run(std::span<const ClusterInstance> instances,
             const std::function<const EliminationTree&(const ClusterInstance&)>& tree_of)
    {
        for (const auto& instance : instances) table_.clusters.push_back({instance, &tree_of(instance)});
        std::ranges::sort(table_.clusters, {},
                          [](const Cluster& c) { return ClusterKey(c.instance.molecule, c.instance.cluster_index); });
        for (const auto& cluster : table_.clusters) find_own_atoms(cluster);
        find_other_owners();

        std::size_t n_tiers = 1;
        for (const auto& cluster : table_.clusters) n_tiers = std::max(n_tiers, index(cluster.tree->n_tiers));
        table_.up.resize(n_tiers - 1);
        table_.down.resize(n_tiers - 1);
        by_tier_.resize(n_tiers);
        for (std::size_t c = 0; c < table_.clusters.size(); ++c) add_branches(static_cast<std::int32_t>(c));
        collect(n_tiers);
        open_exchanges();
    }

private:
    /// Owners of a cluster's atoms, as far as this rank has to know them; -1: unknown.
    struct Owners {
        std::vector<int> of_atom;            // per atom of the cluster
        std::vector<std::int32_t> own_local; // likewise: local index of owned ones, else -1
        bool cut = false;
    };

    void find_own_atoms(const Cluster& cluster)
    {
        auto& owners = owners_.emplace_back();
        for (const auto atom : cluster.tree->atoms) {
            const auto place = directory_.local_index(cluster.instance.molecule_start + atom);
            const bool own = place >= 0 && place < atoms_.n_owned;
            owners.own_local.push_back(own ? place : -1);
            owners.of_atom.push_back(own ? comm_.rank() : -1);
            owners.cut |= !own;
        }
    }

    /// What this rank has to know of the cut clusters: who works on the leaves that its atoms are in, on the parents
    /// and children of its branches, and where the atoms of its leaves are.
    void find_other_owners()
    {
        std::vector<AtomId> own, wanted;
        const auto each_wanted = [&](auto use) {
            for (std::size_t c = 0; c < owners_.size(); ++c) {
                if (!owners_[c].cut) continue;
                const auto& cluster = table_.clusters[c];
                const auto& tree = *cluster.tree;
                const auto want = [&](std::int32_t atom) {
                    if (owners_[c].own_local[index(atom)] < 0)
                        use(c, atom, cluster.instance.molecule_start + tree.atoms[index(atom)]);
                };
                const auto is_own = [&](std::int32_t atom) { return owners_[c].own_local[index(atom)] >= 0; };
                for (const auto& branch : tree.branches) {
                    if (std::ranges::any_of(branch.atoms, is_own)) want(branch.key_atom);
                    if (!is_own(branch.key_atom)) continue;
                    for (const auto atom : branch.atoms) want(atom);
                    if (branch.parent >= 0) want(tree.branches[index(branch.parent)].key_atom);
                    for (const auto& child : branch.children) want(tree.branches[index(child.branch)].key_atom);
                }
            }
        };
        each_wanted([&](std::size_t, std::int32_t, AtomId id) { wanted.push_back(id); });
        for (std::size_t c = 0; c < owners_.size(); ++c)
            for (std::size_t a = 0; a < owners_[c].of_atom.size(); ++a)
                if (owners_[c].cut && owners_[c].own_local[a] >= 0)
                    own.push_back(table_.clusters[c].instance.molecule_start + table_.clusters[c].tree->atoms[a]);
        std::unordered_map<AtomId, int> owner_of;
        for (const auto& [owner, id] : find_owners(comm_, own, std::move(wanted))) owner_of[id] = owner;
        each_wanted(
            [&](std::size_t c, std::int32_t atom, AtomId id) { owners_[c].of_atom[index(atom)] = owner_of.at(id); });
    }

    void add_branches(std::int32_t c)
    {
        const auto& tree = *table_.clusters[index(c)].tree;
        const auto& owners = owners_[index(c)];
        const int self = comm_.rank();
        const auto owner = [&](std::int32_t b) { return owners.of_atom[index(tree.branches[index(b)].key_atom)]; };

        std::vector<LocalBranch> here(tree.branches.size());
        for (std::size_t b = 0; b < tree.branches.size(); ++b) {
            const auto& shape = tree.branches[b];
            here[b].cluster = c;
            here[b].shape = &shape;
            const int worker = owner(static_cast<std::int32_t>(b));
            if (shape.children.empty()) add_atoms(here[b], worker, owners);
            if (shape.parent < 0) continue;
            const int above = owner(shape.parent);
            auto& parent = here[index(shape.parent)];
            auto& upwards = table_.up[index(shape.tier)];
            auto& downwards = table_.down[index(shape.tier)];
            if (worker == self) {
                here[b].up = upwards.add_send(above, up_length(shape, use_), c);
                here[b].down = downwards.add_receive(above, down_length(shape, use_), c);
            }
            if (above == self) {
                parent.child_up.push_back(upwards.add_receive(worker, up_length(shape, use_), c));
                parent.child_down.push_back(downwards.add_send(worker, down_length(shape, use_), c));
            }
        }
        for (std::size_t b = 0; b < here.size(); ++b)
            if (owner(static_cast<std::int32_t>(b)) == self)
                by_tier_[index(here[b].shape->tier)].push_back(std::move(here[b]));
    }

    /// Records of a leaf's atoms, if `worker`, this rank, works on it or if this rank owns some of them.
    void add_atoms(LocalBranch& leaf, int worker, const Owners& owners)
    {
        const int self = comm_.rank();
        const auto& shape = *leaf.shape;
        if (worker == self) {
            leaf.slots = table_.local.size();
            table_.local.resize(leaf.slots + shape.atoms.size(), -1);
        }
        for (std::size_t a = 0; a < shape.atoms.size(); ++a) {
            const auto atom = index(shape.atoms[a]);
            const auto own = owners.own_local[atom];
            const bool home = a < shape.home.size() && (shape.home[a] || use_ == TreeUse::selected_inverse);
            if (worker == self && own >= 0) {
                table_.local[leaf.slots + a] = own;
            } else if (worker == self) {
                const int owner = owners.of_atom[atom];
                table_.atoms_in.push_back({leaf.slots + a, table_.to_leaves.add_receive(owner, 1, leaf.cluster)});
                if (home)
                    table_.moves_out.push_back({leaf.slots + a, table_.to_owners.add_send(owner, 1, leaf.cluster)});
            } else if (own >= 0) {
                table_.atoms_out.push_back({index(own), table_.to_leaves.add_send(worker, 1, leaf.cluster)});
                if (home)
                    table_.moves_in.push_back({index(own), table_.to_owners.add_receive(worker, 1, leaf.cluster)});
            }
        }
    }

    void collect(std::size_t n_tiers)
    {
        for (std::size_t t = 0; t < n_tiers; ++t) {
            table_.tier_begin.push_back(table_.branches.size());
            for (auto& branch : by_tier_[t]) {
                branch.values = table_.n_values;
                branch.unknowns = table_.n_unknowns;
                branch.places = table_.n_places;
                branch.bundles = table_.n_bundles;
                branch.planes = table_.n_planes;
                table_.n_planes += branch.shape->planes.planes.size();
                table_.n_values += branch.shape->elimination.n_values() + 1; // and a spare one
                table_.n_bundles += branch.shape->n_bundles();
                table_.n_unknowns += branch.shape->n_numbers();
                table_.n_places += branch.shape->n_places();
                table_.branches.push_back(std::move(branch));
            }
        }
        table_.tier_begin.push_back(table_.branches.size());
    }

    void open_exchanges()
    {
        table_.to_leaves.open(comm_, 2 * sizeof(IVec3), 6);
        table_.to_owners.open(comm_, sizeof(Vec3), 7);
        for (auto& exchange : table_.up) exchange.open(comm_, sizeof(double), 8);
        for (auto& exchange : table_.down) exchange.open(comm_, sizeof(double), 9);
    }

    BranchTable& table_;
    const Communicator& comm_;
    const Atoms& atoms_;
    const AtomDirectory& directory_;
    TreeUse use_;
    std::vector<Owners> owners_;                    // per cluster
    std::vector<std::vector<LocalBranch>> by_tier_; // those of this rank
};

void BranchTable::rebuild(const Communicator& comm, std::span<const ClusterInstance> instances,
                          const std::function<const EliminationTree&(const ClusterInstance&)>& tree_of,
                          const Atoms& atoms, const AtomDirectory& directory, TreeUse use)
{
    *this = BranchTable();
    Builder(*this, comm, atoms, directory, use).run(instances, tree_of);
}

} // namespace holon
