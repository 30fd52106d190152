#include "newton_tree.hpp"

#include "newton_dissection.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace holon {

namespace {

/// Small enough that several ranks find work in one protein, large enough that little is left to the branches above and
/// little done twice.
constexpr std::int32_t leaf_size = 128;
/// Two tiers do for 32,768 constraints.
constexpr std::int32_t tier_factor = 256;

std::size_t index(std::int32_t k)
{
    return static_cast<std::size_t>(k);
}

template <class T>
void sort_unique(std::vector<T>& values)
{
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
}

std::int32_t place_in(const std::vector<std::int32_t>& sorted, std::int32_t value)
{
    return static_cast<std::int32_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

} // namespace

EliminationTree::EliminationTree(const MoleculeType& molecule, const ConstraintCluster& cluster)
    : molecule_name(molecule.name), atoms(cluster.atoms), constraints_at_(cluster.atoms.size())
{
    for (const auto& constraint : cluster.constraints) {
        const auto k = static_cast<std::int32_t>(ends_.size());
        ends_.push_back({place_in(atoms, constraint.i), place_in(atoms, constraint.j)});
        for (const auto atom : ends_.back()) constraints_at_[index(atom)].push_back(k);
    }
    auto dissection = dissect(static_cast<std::int32_t>(atoms.size()), ends_, leaf_size, tier_factor);
    leaf_of_ = std::move(dissection.leaf_of);
    branches.resize(dissection.branches.size());
    for (std::size_t b = 0; b < branches.size(); ++b) {
        branches[b].parent = dissection.branches[b].parent;
        branches[b].tier = dissection.branches[b].tier;
        if (branches[b].parent >= 0)
            branches[index(branches[b].parent)].children.push_back({static_cast<std::int32_t>(b), {}, {}});
    }
    n_tiers = branches[0].tier + 1;

    std::vector<std::vector<std::int32_t>> own(branches.size());
    for (std::size_t k = 0; k < ends_.size(); ++k) {
        const auto& constraint = cluster.constraints[k];
        own[index(leaf_of_[k])].push_back(static_cast<std::int32_t>(k));
        scale_.push_back((inverse_mass(molecule, ends_[k][0]) + inverse_mass(molecule, ends_[k][1])) *
                         (constraint.length * constraint.length));
    }
    home_of_ = leaf_of_;
    for (const auto& around : constraints_at_)
        for (const auto k : around)
            for (const auto l : around) home_of_[index(k)] = common_branch(home_of_[index(k)], leaf_of_[index(l)]);
    for (auto b = static_cast<std::int32_t>(branches.size()); b-- > 0;) {
        if (branches[index(b)].children.empty())
            set_up_leaf(b, own[index(b)], molecule, cluster);
        else
            set_up_upper(b);
    }
}

std::int32_t EliminationTree::common_branch(std::int32_t a, std::int32_t b) const
{
    while (a != b) {
        auto& later = a > b ? a : b; // the other can not be below it
        later = branches[index(later)].parent;
    }
    return a;
}

double EliminationTree::inverse_mass(const MoleculeType& molecule, std::int32_t atom) const
{
    return 1.0 / molecule.atoms[index(atoms[index(atom)])].mass;
}

void EliminationTree::set_up_leaf(std::int32_t self, const std::vector<std::int32_t>& own, const MoleculeType& molecule,
                                  const ConstraintCluster& cluster)
{
    auto& branch = branches[index(self)];
    std::vector<std::int32_t> ghosts; // constraints of other leaves next to own ones
    for (const auto k : own)
        for (const auto atom : ends_[index(k)]) {
            branch.atoms.push_back(atom);
            for (const auto l : constraints_at_[index(atom)])
                if (leaf_of_[index(l)] != self) ghosts.push_back(l);
        }
    sort_unique(ghosts);
    sort_unique(branch.atoms);
    branch.n_own = static_cast<std::int32_t>(own.size());
    branch.n_moved = static_cast<std::int32_t>(branch.atoms.size());
    branch.key_atom = branch.atoms[branch.atoms.size() / 2];

    std::map<std::int32_t, std::int32_t> number; // of atoms in this leaf
    for (const auto atom : branch.atoms) number.emplace(atom, static_cast<std::int32_t>(number.size()));
    for (const auto k : ghosts)
        for (const auto atom : ends_[index(k)])
            if (number.emplace(atom, static_cast<std::int32_t>(number.size())).second) branch.atoms.push_back(atom);

    for (const auto k : own)
        if (home_of_[index(k)] == self) branch.unknowns.push_back(k);
    branch.n_pivots = static_cast<std::int32_t>(branch.unknowns.size());
    std::vector<std::int32_t> left = ghosts;
    for (const auto k : own)
        if (home_of_[index(k)] != self) left.push_back(k);
    std::ranges::sort(left);
    branch.unknowns.insert(branch.unknowns.end(), left.begin(), left.end());

    std::map<std::int32_t, std::int32_t> link_of, unknown_of;
    for (const auto k : branch.unknowns) unknown_of.emplace(k, static_cast<std::int32_t>(unknown_of.size()));
    for (const auto* list : {&own, static_cast<const std::vector<std::int32_t>*>(&ghosts)})
        for (const auto k : *list) {
            const auto [i, j] = ends_[index(k)];
            const double d = cluster.constraints[index(k)].length;
            link_of.emplace(k, static_cast<std::int32_t>(branch.links.size()));
            branch.links.push_back({k, unknown_of.at(k), number.at(i), number.at(j), d * d});
        }

    // A multiplier l_k moves atom i by + l_k r_k / m_i and atom j by - l_k r_k / m_j.
    const auto sign = [&](std::int32_t k, std::int32_t atom) { return ends_[index(k)][0] == atom ? 1.0 : -1.0; };
    for (std::int32_t a = 0; a < branch.n_moved; ++a) {
        const auto atom = branch.atoms[index(a)];
        branch.home.push_back(leaf_of_[index(constraints_at_[index(atom)].front())] == self);
        branch.incidence_begin.push_back(static_cast<std::int32_t>(branch.incidences.size()));
        for (const auto k : constraints_at_[index(atom)])
            branch.incidences.push_back({link_of.at(k), sign(k, atom) * inverse_mass(molecule, atom)});
    }
    branch.incidence_begin.push_back(static_cast<std::int32_t>(branch.incidences.size()));

    std::vector<Entry> entries;
    for (const auto k : own) {
        branch.own_coupling.push_back(inverse_mass(molecule, ends_[index(k)][0]) +
                                      inverse_mass(molecule, ends_[index(k)][1]));
        branch.error_scale.push_back(1.0 / branch.links[index(link_of.at(k))].d2);
        entries.emplace_back(unknown_of.at(k), unknown_of.at(k));
        for (const auto atom : ends_[index(k)])
            for (const auto l : constraints_at_[index(atom)])
                if (l != k) entries.emplace_back(unknown_of.at(k), unknown_of.at(l));
    }
    finish(branch, entries);
    set_up_rows(branch, own);
}

/// Where the elements of a leaf's rows come from, and where they go.
void EliminationTree::set_up_rows(Branch& leaf, const std::vector<std::int32_t>& own) const
{
    std::vector<std::vector<std::int32_t>> bundles_of(index(leaf.n_moved)); // atoms of a single link need none
    for (std::size_t a = 0; a < bundles_of.size(); ++a) {
        const auto around =
            std::span(leaf.incidences)
                .subspan(index(leaf.incidence_begin[a]), index(leaf.incidence_begin[a + 1] - leaf.incidence_begin[a]));
        for (std::size_t n = 0; n < around.size() && around.size() > 1; ++n) {
            const auto lane = n % bundle_size;
            if (lane == 0) {
                bundles_of[a].push_back(static_cast<std::int32_t>(leaf.bundles.size()));
                leaf.bundles.emplace_back();
            }
            leaf.bundles.back().links[lane] = around[n].link;
            leaf.bundles.back().signs[lane] = around[n].sign;
        }
    }
    std::vector<bool> written(leaf.elimination.n_values(), false);
    const auto position = [&](std::int32_t row, std::int32_t column) {
        const auto found =
            leaf.elimination.position({leaf.links[index(row)].unknown, leaf.links[index(column)].unknown});
        written[index(found)] = true;
        return found;
    };
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(own.size()); ++k) {
        const auto& link = leaf.links[index(k)];
        leaf.diagonal.push_back(position(k, k));
        for (const auto atom : {link.i, link.j})
            for (const auto b : bundles_of[index(atom)]) {
                Coupling coupling{2 * k + (atom == link.j ? 1 : 0), b, {}};
                coupling.positions.fill(leaf.spare());
                const auto& [links, signs] = leaf.bundles[index(b)];
                for (std::size_t lane = 0; lane < bundle_size; ++lane)
                    if (signs[lane] != 0.0 && links[lane] != k) coupling.positions[lane] = position(k, links[lane]);
                leaf.couplings.push_back(coupling);
            }
    }
    for (std::size_t p = 0; p < written.size(); ++p)
        if (!written[p]) leaf.filled.push_back(static_cast<std::int32_t>(p));
}

void EliminationTree::set_up_upper(std::int32_t self)
{
    auto& branch = branches[index(self)];
    std::vector<std::int32_t> pivots, left;
    for (const auto& child : branch.children) {
        const auto& below = branches[index(child.branch)];
        for (auto u = index(below.n_pivots); u < below.unknowns.size(); ++u)
            (home_of_[index(below.unknowns[u])] == self ? pivots : left).push_back(below.unknowns[u]);
    }
    sort_unique(pivots);
    sort_unique(left);
    branch.n_pivots = static_cast<std::int32_t>(pivots.size());
    branch.unknowns = pivots;
    branch.unknowns.insert(branch.unknowns.end(), left.begin(), left.end());
    branch.key_atom = branches[index(branch.children[branch.children.size() / 2].branch)].key_atom;

    std::map<std::int32_t, std::int32_t> unknown_of;
    for (const auto k : branch.unknowns) unknown_of.emplace(k, static_cast<std::int32_t>(unknown_of.size()));
    std::vector<std::vector<Entry>> entries_of_child;
    std::vector<Entry> entries;
    for (auto& child : branch.children) {
        const auto& below = branches[index(child.branch)];
        auto& own = entries_of_child.emplace_back();
        for (const auto& [i, j] : below.elimination.remaining())
            own.emplace_back(unknown_of.at(below.unknowns[index(i)]), unknown_of.at(below.unknowns[index(j)]));
        entries.insert(entries.end(), own.begin(), own.end());
        for (auto u = index(below.n_pivots); u < below.unknowns.size(); ++u)
            child.unknowns.push_back(unknown_of.at(below.unknowns[u]));
    }
    sort_unique(entries);
    finish(branch, entries);
    for (std::size_t c = 0; c < branch.children.size(); ++c)
        for (const auto& entry : entries_of_child[c])
            branch.children[c].positions.push_back(branch.elimination.position(entry));
}

void EliminationTree::finish(Branch& branch, const std::vector<Entry>& entries)
{
    branch.elimination = Elimination(branch.n_pivots, static_cast<std::int32_t>(branch.unknowns.size()), entries);
    for (const auto& entry : branch.elimination.remaining())
        branch.remaining.push_back(branch.elimination.position(entry));
    for (std::int32_t p = 0; p < branch.n_pivots; ++p) branch.scale.push_back(scale_[index(branch.unknowns[index(p)])]);
}

} // namespace holon
