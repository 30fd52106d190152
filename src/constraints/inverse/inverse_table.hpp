#pragma once

#include "approximate_inverse.hpp"
#include "cut_clusters/numbered_atoms.hpp"

#include <functional>
#include <vector>

namespace holon {

/// The constraints of clusters as a rank sees them that multiplies with the rows of an ApproximateInverse: those at
/// owned atoms, whose multipliers it computes, and those that their rows name, whose corrections it computes.
class InverseTable {
public:
    /// `inverse_of` a cluster; it must live as long as this table is used. Collective. See Solver::rebuild.
    void rebuild(const Communicator& comm, std::span<const ClusterInstance> instances,
                 const std::function<const ApproximateInverse&(const ClusterInstance&)>& inverse_of, const Atoms& atoms,
                 const AtomDirectory& directory);

    struct Cluster {
        ClusterInstance instance;
        std::int64_t number = -1; // among the cut clusters of all ranks; -1: owned whole
    };
    struct Bond { // it points from i to j, which are numbers in `numbered`
        std::int32_t i = 0, j = 0, cluster = 0;
        bool moves = false;   // an owned atom: its multiplier is computed here
        bool counted = false; // here, in sums over constraints: this rank owns i
        double d2 = 0.0, inverse_mass_i = 0.0, inverse_mass_j = 0.0;
        std::size_t begin = 0, end = 0; // of its row
    };
    struct Element {
        std::int32_t bond = 0;
        double factor = 0.0;
    };

    std::vector<Cluster> clusters;
    std::vector<Bond> bonds; // by cluster, in each in the order of its constraints
    std::vector<Element> elements;
    // Per place, see places_for():
    std::vector<std::int32_t> i, j, local_i, local_j;
    std::int64_t n_cut = 0; // clusters, on all ranks
    NumberedAtoms numbered;

private:
    void add_bonds(std::int32_t cluster, const ApproximateInverse& inverse, const Atoms& atoms,
                   const AtomDirectory& directory);
};

} // namespace holon
