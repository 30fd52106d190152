#pragma once

#include "newton_tree.hpp"

#include <holon/comm/buffer_exchange.hpp>
#include <holon/constraints/solver.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace holon {

/// A place in an exchange: part, and number of the first element in it.
struct Place {
    std::int32_t part = 0;
    std::size_t offset = 0;
};

/// Messages of records, each of one cluster; a message goes out while one of its clusters needs it.
class RecordExchange {
public:
    /// Adds a record of n elements; partners add theirs in the same order.
    Place add_send(int rank, std::size_t n, std::int32_t cluster) { return add(sends_, rank, n, cluster); }
    Place add_receive(int rank, std::size_t n, std::int32_t cluster) { return add(receives_, rank, n, cluster); }

    /// Once, when all records are known. Collective among partners.
    void open(const Communicator& comm, std::size_t bytes_per_element, int channel);

    template <class T>
    std::span<T> outgoing(Place place)
    {
        return exchange_->outgoing<T>(static_cast<std::size_t>(place.part)).subspan(place.offset);
    }
    template <class T>
    std::span<const T> incoming(Place place) const
    {
        return exchange_->incoming<T>(static_cast<std::size_t>(place.part)).subspan(place.offset);
    }

    /// Sends what concerns an active cluster; all ranks that share a cluster know whether it is active. Adds what it
    /// sends to other ranks to messages and bytes of the result. Collective among partners.
    void run(const std::vector<std::uint8_t>& active, ConstraintResult& result);

private:
    struct Part {
        int rank = 0;
        std::size_t n = 0;
        std::vector<std::int32_t> clusters;
    };
    static Place add(std::vector<Part>& parts, int rank, std::size_t n, std::int32_t cluster);

    std::vector<Part> sends_, receives_;
    std::vector<std::uint8_t> send_now_, receive_now_; // per part
    int own_rank_ = 0;
    std::size_t bytes_per_element_ = 0;
    std::optional<BufferExchange> exchange_;
};

/// What goes through the tree, and from the leaves to the owners of atoms.
enum class TreeUse {
    solution,        // up: matrix, right side and a header; down: multipliers; to owners: each move, from one leaf
    selected_inverse // up: matrix; down: elements of the inverse; to owners: what each leaf has for its moved atoms
};

/// Which branches of which clusters this rank works on, and the messages between them: set up at repartition.
///
/// A branch belongs to the rank that owns its key atom. A leaf gets its atoms from their owners once per stage and
/// tells them in the end how far each moves.
class BranchTable {
public:
    struct Cluster {
        ClusterInstance instance;
        const EliminationTree* tree = nullptr;
    };
    struct LocalBranch {
        std::int32_t cluster = 0; // index in clusters
        const EliminationTree::Branch* shape = nullptr;
        Place up, down;                          // record sent to the parent; received from it
        std::vector<Place> child_up, child_down; // per child: received; sent
        std::size_t values = 0, unknowns = 0;    // where its numbers begin in arrays over all branches here
        std::size_t places = 0, slots = 0;       // leaves: likewise; a slot per atom
        std::size_t bundles = 0, planes = 0;     // leaves: likewise
    };
    /// An atom at a leaf or at its owner, and its place in the exchange between them.
    struct Transfer {
        std::size_t index = 0; // slot at the leaf, local index at the owner
        Place place;
    };

    /// Collective. See Solver::rebuild. `tree_of` a cluster; it must live as long as this table is used.
    void rebuild(const Communicator& comm, std::span<const ClusterInstance> instances,
                 const std::function<const EliminationTree&(const ClusterInstance&)>& tree_of, const Atoms& atoms,
                 const AtomDirectory& directory, TreeUse use = TreeUse::solution);

    std::vector<Cluster> clusters;
    std::vector<LocalBranch> branches;                      // by tier
    std::vector<std::size_t> tier_begin;                    // in branches; and the end
    std::vector<std::int32_t> local;                        // per slot: index of the atom; -1: not owned here
    std::size_t n_values = 0, n_unknowns = 0, n_places = 0; // lengths of the arrays
    std::size_t n_bundles = 0, n_planes = 0;
    std::size_t n_tiers() const { return tier_begin.size() - 1; }

    // Owners -> leaves: two IVec3 per atom. Leaves -> owners: one Vec3 or IVec3 for each atom, see TreeUse.
    RecordExchange to_leaves, to_owners;
    std::vector<Transfer> atoms_out, atoms_in; // of to_leaves
    std::vector<Transfer> moves_out, moves_in; // of to_owners
    // Per tier but the last: between branches of this tier and their parents. Doubles.
    std::vector<RecordExchange> up, down;

private:
    class Builder;
};

/// Length of the records between a branch and its parent [doubles]: a header, then numbers.
inline constexpr std::size_t up_header = 5, down_header = 1;
inline std::size_t up_length(const EliminationTree::Branch& branch, TreeUse use)
{
    return branch.remaining.size() + (use == TreeUse::solution ? up_header + branch.n_left() : 0);
}
inline std::size_t down_length(const EliminationTree::Branch& branch, TreeUse use)
{
    return use == TreeUse::solution ? down_header + branch.n_left() : branch.remaining.size();
}

} // namespace holon
