#include "newton_dissection.hpp"

#include <holon/core/index.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace holon {

namespace {

using Index = std::int32_t;
constexpr Index unlimited = std::numeric_limits<Index>::max();

/// The cut is sought among this share of the atoms on each side of the middle; the first of equally good ones is taken.
constexpr std::array<double, 6> windows{0.02, 0.05, 0.1, 0.17, 0.25, 0.35};

/// Neighbours of each atom.
using Graph = std::vector<std::vector<Index>>;

/// Appends what can be reached from `start` to `order`, nearest first.
void breadth_first(const Graph& graph, Index start, std::vector<bool>& seen, std::vector<Index>& order)
{
    auto next = order.size();
    order.push_back(start);
    seen[index(start)] = true;
    for (; next < order.size(); ++next)
        for (const auto other : graph[index(order[next])])
            if (!seen[index(other)]) {
                seen[index(other)] = true;
                order.push_back(other);
            }
}

/// All atoms, one connected part after the other, each from an end of it to the other end.
std::vector<Index> end_to_end(const Graph& graph)
{
    std::vector<bool> seen(graph.size(), false), ordered(graph.size(), false);
    std::vector<Index> order, part;
    for (Index a = 0; a < static_cast<Index>(graph.size()); ++a) {
        if (ordered[index(a)]) continue;
        part.clear();
        breadth_first(graph, a, seen, part);
        breadth_first(graph, part.back(), ordered, order);
    }
    return order;
}

/// The cheapest set of atoms whose removal parts the atoms before a window of an order from those after it.
class CheapestCut {
public:
    /// `cost` of removing an atom.
    CheapestCut(const Graph& graph, const std::vector<Index>& cost, const std::vector<Index>& order)
        : graph_(graph), cost_(cost), order_(order), rank_(order.size())
    {
        for (std::size_t k = 0; k < order.size(); ++k) rank_[index(order[k])] = k;
    }

    /// Per atom -1: before the cut, 0: cut, 1: after. Nothing if the ends touch, or if the cut costs more than `limit`.
    std::optional<std::vector<int>> find(std::size_t begin, std::size_t end, Index limit)
    {
        make_network(begin, end);
        for (Index flow = 0; flow <= limit; ++flow)
            if (!augment()) return sides(begin, end);
        return std::nullopt;
    }

private:
    // Atom number k of the window is an arc from node 2 k to node 2 k + 1; then come the source and the sink.
    struct Arc {
        Index to, capacity; // the arc back is the one beside it: number ^ 1
    };

    void connect(Index from, Index to, Index capacity)
    {
        leaving_[index(from)].push_back(static_cast<Index>(arcs_.size()));
        arcs_.push_back({to, capacity});
        leaving_[index(to)].push_back(static_cast<Index>(arcs_.size()));
        arcs_.push_back({from, 0});
    }

    void make_network(std::size_t begin, std::size_t end)
    {
        const auto n = static_cast<Index>(end - begin);
        source_ = 2 * n;
        sink_ = 2 * n + 1;
        arcs_.clear();
        leaving_.assign(index(2 * n + 2), {});
        for (Index k = 0; k < n; ++k) connect(2 * k, 2 * k + 1, cost_[index(order_[begin + index(k)])]);
        const auto node = [&](Index atom, bool out) {
            const auto k = rank_[index(atom)];
            return k < begin ? source_ : k >= end ? sink_ : 2 * static_cast<Index>(k - begin) + (out ? 1 : 0);
        };
        for (const auto atom : order_)
            for (const auto other : graph_[index(atom)]) {
                const auto from = node(atom, true), to = node(other, false);
                if (from != to && from != sink_ && to != source_) connect(from, to, unlimited);
            }
    }

    /// Sends one unit along a shortest path with capacity left; false: there is none.
    bool augment()
    {
        came_by_.assign(leaving_.size(), -1);
        std::vector<Index> queue{source_};
        for (std::size_t next = 0; next < queue.size(); ++next)
            for (const auto a : leaving_[index(queue[next])]) {
                const auto& arc = arcs_[index(a)];
                if (arc.capacity == 0 || arc.to == source_ || came_by_[index(arc.to)] >= 0) continue;
                came_by_[index(arc.to)] = a;
                queue.push_back(arc.to);
            }
        if (came_by_[index(sink_)] < 0) return false;
        for (auto node = sink_; node != source_;) {
            const auto a = came_by_[index(node)];
            if (arcs_[index(a)].capacity != unlimited) --arcs_[index(a)].capacity;
            if (arcs_[index(a ^ 1)].capacity != unlimited) ++arcs_[index(a ^ 1)].capacity;
            node = arcs_[index(a ^ 1)].to;
        }
        return true;
    }

    /// After the last augment(): an atom is cut if its near side can still be reached from the source, its far one not.
    std::vector<int> sides(std::size_t begin, std::size_t end) const
    {
        std::vector<int> side(order_.size());
        for (std::size_t k = 0; k < order_.size(); ++k) {
            auto& s = side[index(order_[k])];
            if (k < begin || k >= end) {
                s = k < begin ? -1 : 1;
                continue;
            }
            const bool near = came_by_[2 * (k - begin)] >= 0, far = came_by_[2 * (k - begin) + 1] >= 0;
            s = far ? -1 : near ? 0 : 1;
        }
        return side;
    }

    const Graph& graph_;
    const std::vector<Index>& cost_;
    const std::vector<Index>& order_;
    std::vector<std::size_t> rank_; // per atom: place in the order
    std::vector<Arc> arcs_;
    std::vector<std::vector<Index>> leaving_; // per node: arcs
    std::vector<Index> came_by_;              // per node: arc by which the last search reached it
    Index source_ = 0, sink_ = 0;
};

class Dissector {
public:
    Dissector(Index n_atoms, const std::vector<std::array<Index, 2>>& constraints, Index leaf_size, Index tier_factor)
        : constraints_(constraints), leaf_size_(leaf_size), tier_factor_(tier_factor), degree_(index(n_atoms)),
          number_(index(n_atoms), -1)
    {
        for (const auto& [i, j] : constraints) {
            ++degree_[index(i)];
            ++degree_[index(j)];
        }
        std::vector<Index> all(constraints.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
        result_.leaf_of.resize(constraints.size());
        divide(all, -1);
    }

    Dissection result() && { return std::move(result_); }

private:
    using Set = std::vector<Index>;

    Index add_branch(Index parent, Index tier)
    {
        result_.branches.push_back({parent, tier});
        return static_cast<Index>(result_.branches.size()) - 1;
    }

    Index tier_of(std::size_t n_constraints) const
    {
        Index tier = 0;
        for (auto size = static_cast<double>(leaf_size_); static_cast<double>(n_constraints) > size;
             size *= tier_factor_)
            ++tier;
        return tier;
    }

    void divide(const Set& set, Index parent)
    {
        const auto tier = tier_of(set.size());
        const auto halves = tier > 0 ? bisect(set) : std::nullopt;
        if (!halves) {
            const auto leaf = add_branch(parent, 0);
            for (const auto k : set) result_.leaf_of[index(k)] = leaf;
            return;
        }
        const bool same = parent >= 0 && result_.branches[index(parent)].tier == tier;
        const auto branch = same ? parent : add_branch(parent, tier);
        for (const auto& half : *halves) divide(half, branch);
    }

    /// Two parts of about the same size that share as few atoms as can be; nothing if the set does not come apart.
    std::optional<std::array<Set, 2>> bisect(const Set& set)
    {
        Set atoms;
        Graph graph;
        std::vector<Index> cost;
        for (const auto k : set)
            for (const auto atom : constraints_[index(k)])
                if (number_[index(atom)] < 0) {
                    number_[index(atom)] = static_cast<Index>(atoms.size());
                    atoms.push_back(atom);
                    cost.push_back(degree_[index(atom)]);
                }
        graph.resize(atoms.size());
        for (const auto k : set) {
            const auto [i, j] = local(k);
            graph[index(i)].push_back(j);
            graph[index(j)].push_back(i);
        }
        auto best = best_cut(set, graph, cost);
        for (const auto atom : atoms) number_[index(atom)] = -1;
        return best;
    }

    std::optional<std::array<Set, 2>> best_cut(const Set& set, const Graph& graph, const std::vector<Index>& cost) const
    {
        const auto order = end_to_end(graph);
        CheapestCut cut(graph, cost, order);
        const auto n = static_cast<double>(order.size());
        const auto limit = static_cast<Index>(set.size() / 2);
        std::optional<std::array<Set, 2>> best;
        double best_score = std::numeric_limits<double>::infinity();
        for (const double window : windows) {
            const auto begin = std::max<std::size_t>(1, static_cast<std::size_t>((0.5 - window) * n));
            const auto end = std::min(order.size() - 1, static_cast<std::size_t>((0.5 + window) * n) + 1);
            if (begin >= end) continue;
            const auto side = cut.find(begin, end, limit);
            if (!side) continue;
            std::array<Set, 2> halves;
            for (const auto k : set) {
                const auto [i, j] = local(k);
                halves[(*side)[index(i)] + (*side)[index(j)] > 0 ? 1 : 0].push_back(k);
            }
            const auto smaller = std::min(halves[0].size(), halves[1].size());
            if (smaller == 0) continue;
            double price = 1.0;
            for (std::size_t a = 0; a < cost.size(); ++a)
                if ((*side)[a] == 0) price += cost[a];
            if (price / static_cast<double>(smaller) >= best_score) continue;
            best_score = price / static_cast<double>(smaller);
            best = std::move(halves);
        }
        return best;
    }

    std::array<Index, 2> local(Index constraint) const
    {
        const auto& [i, j] = constraints_[index(constraint)];
        return {number_[index(i)], number_[index(j)]};
    }

    const std::vector<std::array<Index, 2>>& constraints_;
    Index leaf_size_, tier_factor_;
    std::vector<Index> degree_; // per atom
    std::vector<Index> number_; // per atom: in the set that is being bisected; -1: not in it
    Dissection result_;
};

} // namespace

Dissection dissect(std::int32_t n_atoms, const std::vector<std::array<std::int32_t, 2>>& constraints,
                   std::int32_t leaf_size, std::int32_t tier_factor)
{
    return Dissector(n_atoms, constraints, leaf_size, tier_factor).result();
}

} // namespace holon
