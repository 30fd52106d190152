#include <holon/constraints/rigid_shape.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include "bonds/bond.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holon {

namespace {

using AtomList = std::vector<std::int32_t>;

/// The atoms that constraints bind to each atom of a molecule, ascending, without those that are in a part already.
class Bound {
public:
    explicit Bound(const MoleculeType& molecule) : at_(molecule.atoms.size())
    {
        AtomList taken;
        for (const auto& body : molecule.bodies) taken.insert(taken.end(), body.atoms.begin(), body.atoms.end());
        for (std::size_t a = 0; a < at_.size(); ++a)
            if (molecule.atoms[a].inverse_mass() == 0.0) taken.push_back(static_cast<std::int32_t>(a));
        for (const auto& c : molecule.constraints) {
            at_[index(c.i)].insert(c.j);
            at_[index(c.j)].insert(c.i);
        }
        take(taken);
    }

    void take(const AtomList& atoms)
    {
        for (const auto atom : atoms) {
            for (const auto other : at_[index(atom)]) at_[index(other)].erase(atom);
            at_[index(atom)].clear();
        }
    }

    /// Atoms all of which are bound to each other, from a pair on: next comes the one of which most others can follow.
    AtomList clique(std::int32_t i, std::int32_t j) const
    {
        AtomList atoms{i, j}, candidates = common(at_[index(i)], at_[index(j)]);
        while (!candidates.empty()) {
            const auto next = *std::ranges::max_element(
                candidates, {}, [&](std::int32_t a) { return common(at_[index(a)], candidates).size(); });
            atoms.push_back(next);
            candidates = common(at_[index(next)], candidates);
        }
        std::ranges::sort(atoms);
        return atoms;
    }

    /// Of three atoms or more, the largest first, those of one size by their atoms.
    std::vector<AtomList> cliques() const
    {
        std::set<AtomList> found;
        for (std::size_t i = 0; i < at_.size(); ++i)
            for (const auto j : at_[i])
                if (index(j) > i)
                    if (auto atoms = clique(static_cast<std::int32_t>(i), j); atoms.size() > 2) found.insert(atoms);
        std::vector<AtomList> sorted(found.begin(), found.end());
        std::ranges::stable_sort(sorted, std::greater{}, &AtomList::size);
        return sorted;
    }

private:
    template <class A, class B>
    static AtomList common(const A& a, const B& b)
    {
        AtomList both;
        std::ranges::set_intersection(a, b, std::back_inserter(both));
        return both;
    }

    std::vector<std::set<std::int32_t>> at_;
};

RigidBody body_of(const MoleculeType& molecule, const AtomList& atoms)
{
    const auto within = [&](std::int32_t atom) { return std::ranges::binary_search(atoms, atom); };
    ConstraintCluster cluster;
    cluster.atoms = atoms;
    std::ranges::copy_if(molecule.constraints, std::back_inserter(cluster.constraints),
                         [&](const Constraint& c) { return within(c.i) && within(c.j); });
    auto shape = shape_of_distances(cluster);
    if (!shape)
        throw InputError(
            fmt::format("Molecule type {}: the constraints of atoms {} contradict each other: no points have "
                        "these distances. Correct the lengths and angles.",
                        molecule.name, atom_list(molecule, atoms)));
    const bool in_a_line = std::ranges::all_of(*shape, [](const Vec3& r) { return r[1] == 0.0 && r[2] == 0.0; });
    return {.atoms = atoms, .shape = std::move(*shape), .degrees_of_freedom = in_a_line ? 5 : 6, .given = {}};
}

} // namespace

std::vector<RigidBody> rigid_parts(const MoleculeType& molecule)
{
    std::vector<RigidBody> parts;
    Bound bound(molecule);
    // What is left of a clique whose atoms others have taken may be one again.
    for (auto cliques = bound.cliques(); !cliques.empty(); cliques = bound.cliques()) {
        std::set<std::int32_t> taken;
        for (const auto& atoms : cliques) {
            if (atoms.size() < cliques.front().size()) break;
            if (std::ranges::any_of(atoms, [&](std::int32_t atom) { return taken.contains(atom); })) continue;
            taken.insert(atoms.begin(), atoms.end());
            parts.push_back(body_of(molecule, atoms));
            bound.take(atoms);
        }
    }
    return parts;
}

} // namespace holon
