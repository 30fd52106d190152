#pragma once

#include "newton_elimination.hpp"
#include "newton_kernel.hpp"
#include "newton_planes.hpp"

#include <holon/core/index.hpp>
#include <holon/system/clusters.hpp>
#include <holon/system/topology.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// How a cluster's matrix A_kl = C_kl s_k.r_l (k, l: constraints; C: inverse masses) is factorised, however its atoms
/// are spread over ranks: computed once per molecule type, from the topology alone.
///
/// The constraints are divided into leaves (newton_dissection.hpp). A constraint is eliminated by the lowest branch
/// that holds it and all that share an atom with it. So a leaf, which computes the rows of all its constraints, knows
/// what it needs for that: the multipliers of its own constraints and of those next to them, its ghosts, all of which
/// come from itself or from above. One way up the tree, with Schur complements, and one way down, with multipliers,
/// make an iteration: with one tier above the leaves, two rounds of messages.
class EliminationTree {
public:
    EliminationTree(const MoleculeType& molecule, const ConstraintCluster& cluster);

    /// Where what comes from a child belongs.
    struct Child {
        std::int32_t branch = 0;
        std::vector<std::int32_t> positions; // per element of the child's Schur complement
        std::vector<std::int32_t> unknowns;  // per unknown that the child leaves
    };

    struct Branch {
        std::int32_t parent = -1, tier = 0;
        std::int32_t key_atom = 0; // the rank that owns this atom of the cluster (index) works on the branch
        std::vector<Child> children;

        // Constraints: the pivots in the order of their elimination, then those left to the branches above.
        std::vector<std::int32_t> unknowns;
        std::int32_t n_pivots = 0;
        std::vector<double> scale; // per pivot: the diagonal element of an undisturbed molecule [nm^2/u]
        Elimination elimination;
        std::vector<std::int32_t> remaining; // positions of the Schur complement, in the order in which it is sent
        std::size_t n_left() const { return unknowns.size() - index(n_pivots); }

        // Leaves only: their links, which are their unknowns, own ones first, then ghosts, and the atoms of these; see
        // newton::Leaf.
        std::int32_t n_own = 0;
        std::vector<std::int32_t> atoms; // of the links: index in the cluster; those of own links first
        std::int32_t n_moved = 0;        // atoms of own links: all constraints that hold them are links
        std::vector<bool> home;          // per moved atom: this leaf tells its owner where it goes
        // Per place: links, and empty places.
        std::vector<std::int32_t> i, j, diagonal;
        std::vector<double> d2, per_d2, inverse_mass_i, inverse_mass_j;
        std::size_t n_places() const { return i.size(); }
        /// Numbers in right side and solution: one per unknown, and at leaves one per place.
        std::size_t n_numbers() const { return children.empty() ? n_places() : unknowns.size(); }

        std::vector<std::int32_t> bundle_links; // bundles of links at moved atoms that have several
        std::vector<double> bundle_signs;
        std::size_t n_bundles() const { return bundle_links.size() / newton::bundle_size; }

        std::vector<newton::Coupling> couplings;
        std::int32_t n_at_first = 0;
        newton::PlaneShape planes;
        std::vector<std::int32_t> filled; // positions that are zero until elimination fills them
        std::int32_t spare() const { return static_cast<std::int32_t>(elimination.n_values()); }
    };

    std::vector<Branch> branches; // parents before children; [0] is the root
    std::int32_t n_tiers = 0;
    std::string molecule_name;
    std::vector<std::int32_t> atoms; // per atom of the cluster: index in the molecule

    /// Index in the cluster of constraint k's atoms: two; four, if it is a plane.
    std::span<const std::int32_t> atoms_of(std::int32_t constraint) const
    {
        if (const auto k = index(constraint); k < ends_.size()) return ends_[k];
        return plane_atoms_[index(constraint) - ends_.size()];
    }

private:
    double inverse_mass(const MoleculeType& molecule, std::int32_t atom) const; // of the cluster's atom of this index
    void set_up_leaf(std::int32_t self, const std::vector<std::int32_t>& own, const MoleculeType& molecule,
                     const ConstraintCluster& cluster);
    void set_up_rows(Branch& leaf, const MoleculeType& molecule,
                     const std::map<std::int32_t, std::int32_t>& link_of) const;
    void set_up_upper(std::int32_t branch);
    /// Orders the pivots of a branch; `elements` of its matrix: pairs of constraints. Returns the number that each of
    /// its constraints has among the unknowns.
    std::map<std::int32_t, std::int32_t> plan_elimination(Branch& branch, const std::vector<Entry>& elements);
    /// Elements that a branch leaves to those above: pairs of constraints.
    static std::vector<Entry> left_by(const Branch& branch);
    /// Planes are numbered after the distances.
    bool is_plane(std::int32_t constraint) const { return index(constraint) >= ends_.size(); }
    void add_planes(const MoleculeType& molecule, const ConstraintCluster& cluster);
    void set_up_planes(Branch& leaf, const MoleculeType& molecule, const ConstraintCluster& cluster,
                       const std::map<std::int32_t, std::int32_t>& number_of_atom) const;
    std::int32_t common_branch(std::int32_t a, std::int32_t b) const;

    std::vector<std::array<std::int32_t, 2>> ends_;         // per constraint: its atoms, as indices in the cluster
    std::vector<std::array<std::int32_t, 4>> plane_atoms_;  // likewise
    std::vector<std::vector<std::int32_t>> constraints_at_; // per atom of the cluster: ascending
    std::vector<double> scale_;                             // per constraint: see Branch
    std::vector<std::int32_t> leaf_of_;                     // per constraint
    std::vector<std::int32_t> home_of_;                     // per constraint: the branch that eliminates it
};

} // namespace holon
