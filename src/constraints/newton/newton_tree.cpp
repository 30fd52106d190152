#include "newton_tree.hpp"

#include <holon/core/index.hpp>

#include "newton_dissection.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace holon {

namespace {

/// Small enough that several ranks find work in one protein, large enough that little is left to the branches above and
/// little done twice.
constexpr std::int32_t leaf_size = 128;
/// Two tiers do for 32,768 constraints.
constexpr std::int32_t tier_factor = 256;

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
        scale_.push_back((inverse_mass(molecule, ends_[k][0]) + inverse_mass(molecule, ends_[k][1])) *
                         (constraint.length * constraint.length));
    }
    add_planes(molecule, cluster);
    for (std::size_t k = 0; k < leaf_of_.size(); ++k) own[index(leaf_of_[k])].push_back(static_cast<std::int32_t>(k));
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

/// Each plane goes to the leaf of a distance from its last atom.
void EliminationTree::add_planes(const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    for (const auto& plane : cluster.planes) {
        auto& holds = plane_atoms_.emplace_back();
        for (std::size_t a = 0; a < 4; ++a) holds[a] = place_in(atoms, plane.atoms[a]);
        leaf_of_.push_back(leaf_of_[index(constraints_at_[index(holds[3])].front())]);
        double others = 0.0;
        for (std::size_t a = 0; a < 3; ++a) others += inverse_mass(molecule, holds[a]) / 9.0;
        scale_.push_back((inverse_mass(molecule, holds[3]) + others) * plane.area);
    }
    for (std::size_t p = 0; p < plane_atoms_.size(); ++p)
        for (const auto atom : plane_atoms_[p])
            constraints_at_[index(atom)].push_back(static_cast<std::int32_t>(ends_.size() + p));
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
    return molecule.atoms[index(atoms[index(atom)])].inverse_mass();
}

void EliminationTree::set_up_leaf(std::int32_t self, const std::vector<std::int32_t>& own, const MoleculeType& molecule,
                                  const ConstraintCluster& cluster)
{
    auto& branch = branches[index(self)];
    std::vector<std::int32_t> ghosts; // constraints of other leaves next to own ones
    for (const auto k : own)
        for (const auto atom : atoms_of(k)) {
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
        for (const auto atom : atoms_of(k))
            if (number.emplace(atom, static_cast<std::int32_t>(number.size())).second) branch.atoms.push_back(atom);

    std::vector<std::int32_t> left;
    for (const auto k : own) (home_of_[index(k)] == self ? branch.unknowns : left).push_back(k);
    branch.n_pivots = static_cast<std::int32_t>(branch.unknowns.size());
    branch.unknowns.insert(branch.unknowns.end(), left.begin(), left.end());
    branch.unknowns.insert(branch.unknowns.end(), ghosts.begin(), ghosts.end());
    std::vector<Entry> elements;
    for (const auto k : own) {
        elements.emplace_back(k, k);
        for (const auto atom : atoms_of(k))
            for (const auto l : constraints_at_[index(atom)])
                if (l != k) elements.emplace_back(k, l);
    }
    if (!plane_atoms_.empty()) sort_unique(elements); // two share one atom, but for planes
    const auto number_of_link = plan_elimination(branch, elements);

    for (const auto k : branch.unknowns) {
        if (is_plane(k)) { // a link that moves nothing and is never too short
            for (auto* numbers : {&branch.i, &branch.j}) numbers->push_back(0);
            for (auto* numbers : {&branch.per_d2, &branch.inverse_mass_i, &branch.inverse_mass_j})
                numbers->push_back(0.0);
            branch.d2.push_back(-1.0);
            continue;
        }
        const auto [i, j] = ends_[index(k)];
        const double d = cluster.constraints[index(k)].length;
        branch.i.push_back(number.at(i));
        branch.j.push_back(number.at(j));
        branch.d2.push_back(d * d);
        branch.per_d2.push_back(leaf_of_[index(k)] == self ? 1.0 / (d * d) : 0.0);
        branch.inverse_mass_i.push_back(inverse_mass(molecule, i));
        branch.inverse_mass_j.push_back(inverse_mass(molecule, j));
    }
    for (const auto atom : std::span(branch.atoms).first(index(branch.n_moved)))
        branch.home.push_back(leaf_of_[index(constraints_at_[index(atom)].front())] == self);
    set_up_rows(branch, molecule, number_of_link);
    set_up_planes(branch, molecule, cluster, number);
    const auto places = (branch.unknowns.size() + newton::lanes - 1) / newton::lanes * newton::lanes;
    branch.diagonal.resize(places, branch.spare());
    for (auto* numbers : {&branch.i, &branch.j}) numbers->resize(places, 0);
    for (auto* numbers : {&branch.d2, &branch.per_d2, &branch.inverse_mass_i, &branch.inverse_mass_j})
        numbers->resize(places, 0.0);
}

/// Where the elements of a leaf's rows come from, and where they go. A multiplier l_k moves atom i by + l_k r_k / m_i
/// and atom j by - l_k r_k / m_j.
void EliminationTree::set_up_rows(Branch& leaf, const MoleculeType& molecule,
                                  const std::map<std::int32_t, std::int32_t>& link_of) const
{
    std::vector<std::int32_t> bundle_begin{0}; // per moved atom, and the end
    for (const auto atom : std::span(leaf.atoms).first(index(leaf.n_moved))) {
        auto around = constraints_at_[index(atom)];
        std::erase_if(around, [this](std::int32_t k) { return is_plane(k); });
        std::size_t lane = leaf.bundle_links.size();
        const auto n_bundles = around.size() > 1 ? (around.size() + newton::bundle_size - 1) / newton::bundle_size : 0;
        leaf.bundle_links.resize(lane + n_bundles * newton::bundle_size);
        leaf.bundle_signs.resize(leaf.bundle_links.size());
        bundle_begin.push_back(static_cast<std::int32_t>(leaf.n_bundles()));
        for (std::size_t n = 0; n < around.size() && n_bundles > 0; ++n) {
            const auto k = around[n];
            leaf.bundle_links[lane] = link_of.at(k);
            leaf.bundle_signs[lane++] = (ends_[index(k)][0] == atom ? 1.0 : -1.0) * inverse_mass(molecule, atom);
        }
    }

    std::vector<bool> written(leaf.elimination.n_values(), false);
    const auto position = [&](std::int32_t row, std::int32_t column) {
        const auto found = leaf.elimination.position({row, column});
        written[index(found)] = true;
        return found;
    };
    for (std::int32_t k = 0; k < leaf.n_own; ++k) leaf.diagonal.push_back(position(k, k));
    for (const auto* ends : {&leaf.i, &leaf.j}) {
        for (std::int32_t k = 0; k < leaf.n_own; ++k) {
            if (is_plane(leaf.unknowns[index(k)])) continue;
            const auto atom = index((*ends)[index(k)]);
            for (auto b = bundle_begin[atom]; b < bundle_begin[atom + 1]; ++b) {
                auto& coupling = leaf.couplings.emplace_back(newton::Coupling{k, b, {}});
                for (std::int32_t lane = 0; lane < newton::bundle_size; ++lane) {
                    const auto at = index(newton::bundle_size * b + lane);
                    const auto other = leaf.bundle_links[at];
                    const bool is_there = leaf.bundle_signs[at] != 0.0 && other != k;
                    coupling.positions[lane] = is_there ? position(k, other) : leaf.spare();
                }
            }
        }
        if (ends == &leaf.i) leaf.n_at_first = static_cast<std::int32_t>(leaf.couplings.size());
    }
    for (std::size_t p = 0; p < written.size(); ++p)
        if (!written[p]) leaf.filled.push_back(static_cast<std::int32_t>(p));
}

/// The planes of a leaf, and what they add to its rows. `number_of_atom`: in the leaf.
void EliminationTree::set_up_planes(Branch& leaf, const MoleculeType& molecule, const ConstraintCluster& cluster,
                                    const std::map<std::int32_t, std::int32_t>& number_of_atom) const
{
    auto& [planes, n_own, products] = leaf.planes;
    std::vector<newton::PlaneShape::Side> sides; // per place
    for (std::size_t u = 0; u < leaf.unknowns.size(); ++u) {
        const auto k = leaf.unknowns[u], place = static_cast<std::int32_t>(u);
        sides.push_back({place, 0, false});
        if (!is_plane(k)) continue;
        sides.back() = {static_cast<std::int32_t>(planes.size()), 0, true};
        auto& plane = planes.emplace_back();
        plane.place = place;
        plane.area = cluster.planes[index(k) - ends_.size()].area;
        for (std::size_t a = 0; a < 4; ++a) {
            plane.atoms[a] = number_of_atom.at(atoms_of(k)[a]);
            plane.inverse_mass[a] = inverse_mass(molecule, atoms_of(k)[a]);
        }
        n_own += place < leaf.n_own ? 1 : 0;
    }
    std::map<std::int32_t, std::int32_t> place_of;
    for (std::size_t u = 0; u < leaf.unknowns.size(); ++u) place_of[leaf.unknowns[u]] = static_cast<std::int32_t>(u);
    const auto at_atom = [&](std::int32_t place, std::int32_t atom) {
        auto side = sides[index(place)];
        const auto holds = atoms_of(leaf.unknowns[index(place)]);
        side.atom = static_cast<std::int8_t>(std::ranges::find(holds, atom) - holds.begin());
        return side;
    };
    for (std::int32_t row = 0; row < leaf.n_own; ++row)
        for (const auto atom : atoms_of(leaf.unknowns[index(row)]))
            for (const auto l : constraints_at_[index(atom)]) {
                const auto column = place_of.at(l);
                if (!sides[index(row)].is_plane && !sides[index(column)].is_plane) continue;
                products.push_back({leaf.elimination.position({row, column}), at_atom(row, atom), at_atom(column, atom),
                                    inverse_mass(molecule, atom)});
            }
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

    std::vector<Entry> elements;
    for (const auto& child : branch.children)
        for (const auto& element : left_by(branches[index(child.branch)])) elements.push_back(element);
    sort_unique(elements);
    const auto number = plan_elimination(branch, elements);
    for (auto& child : branch.children) {
        const auto& below = branches[index(child.branch)];
        for (const auto& [k, l] : left_by(below))
            child.positions.push_back(branch.elimination.position({number.at(k), number.at(l)}));
        for (auto u = index(below.n_pivots); u < below.unknowns.size(); ++u)
            child.unknowns.push_back(number.at(below.unknowns[u]));
    }
}

std::vector<Entry> EliminationTree::left_by(const Branch& branch)
{
    std::vector<Entry> elements;
    for (const auto& [i, j] : branch.elimination.remaining())
        elements.emplace_back(branch.unknowns[index(i)], branch.unknowns[index(j)]);
    return elements;
}

std::map<std::int32_t, std::int32_t> EliminationTree::plan_elimination(Branch& branch,
                                                                       const std::vector<Entry>& elements)
{
    const auto numbers_of_unknowns = [&] {
        std::map<std::int32_t, std::int32_t> number;
        for (const auto k : branch.unknowns) number.emplace(k, static_cast<std::int32_t>(number.size()));
        return number;
    };
    const auto numbered = [&](const std::map<std::int32_t, std::int32_t>& number) {
        std::vector<Entry> entries;
        for (const auto& [k, l] : elements) entries.emplace_back(number.at(k), number.at(l));
        return entries;
    };
    const auto n = static_cast<std::int32_t>(branch.unknowns.size());
    const auto before = branch.unknowns;
    const auto order = elimination_order(branch.n_pivots, n, numbered(numbers_of_unknowns()));
    for (std::size_t p = 0; p < order.size(); ++p) branch.unknowns[p] = before[index(order[p])];

    auto number = numbers_of_unknowns();
    branch.elimination = Elimination(branch.n_pivots, n, numbered(number));
    for (const auto& entry : branch.elimination.remaining())
        branch.remaining.push_back(branch.elimination.position(entry));
    for (std::int32_t p = 0; p < branch.n_pivots; ++p) branch.scale.push_back(scale_[index(branch.unknowns[index(p)])]);
    return number;
}

} // namespace holon
