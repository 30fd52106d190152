#pragma once

#include "link_reach.hpp"
#include "numbered_atoms.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace holon {

/// A constraint that this rank computes. It points from i to j, which are numbers in LinkTable::numbered.
struct Link {
    std::int32_t i = 0, j = 0;
    std::int32_t cluster = 0; // index in LinkTable::clusters
    bool counted = false;     // here, in sums over constraints: this rank owns i
    std::int32_t place = 0;   // among the constraints of the cluster that begin at i
    double d2 = 0.0;          // [nm^2]
    double inverse_mass_i = 0.0, inverse_mass_j = 0.0;
};

/// For each constraint of a cluster: its place among those that begin at the same atom.
std::vector<std::int32_t> places_at_first_atom(const ConstraintCluster& cluster);

/// A cluster of which this rank owns an atom.
struct LinkedCluster {
    ClusterInstance instance;
    std::int64_t bit = -1; // number among the cut clusters of all ranks; -1: owned whole
};

/// Links of clusters that are solved together, one colour after the other: no two of a colour share an atom.
struct LinkBatch {
    struct Run {
        std::int32_t begin = 0, end = 0;
    };
    std::vector<Run> colours;
    std::vector<std::int32_t> clusters; // index in LinkTable::clusters
};

/// The constraints of clusters of any size as one rank sees them: those with at least one owned atom and those that
/// have a say in them during a round of colours (LinkReach), in the order of the cluster, and the exchanges that keep
/// copies of atoms alike after each round.
class LinkTable {
public:
    /// Collective. See Solver::rebuild.
    void rebuild(const Communicator& comm, std::span<const ClusterInstance> instances, const Atoms& atoms,
                 const AtomDirectory& directory);

    std::vector<LinkedCluster> clusters;
    std::vector<Link> links;      // batch by batch, colour by colour
    std::vector<LinkBatch> whole; // clusters owned whole, some at a time
    LinkBatch cut;                // all others; it has as many colours on all ranks
    std::int64_t n_cut = 0;       // cut clusters on all ranks

    NumberedAtoms numbered; // those of the links; its copies are refreshed where any cluster is cut

    /// Adds the atoms that must be here where those of a cluster are owned; see Solver::add_needs.
    static void add_needs(const ConstraintCluster& cluster, MoleculeNeeds& needs);

    /// Refreshes the copies that a round of colours has changed elsewhere, if this colour is the last of a round.
    /// Collective.
    void refresh_after(std::size_t colour, std::vector<PaddedVec3>& values, ConstraintResult& result);

private:
    void add_link(std::int32_t cluster, std::size_t constraint, const AtomDirectory& directory);
    /// The next colours of a batch, as many as it has or these clusters need. `constraints`: those of each of its
    /// clusters that are computed here, ascending.
    void add_colours(LinkBatch& batch, std::span<const std::vector<std::int32_t>> constraints,
                     const AtomDirectory& directory);
    void add_whole_clusters(const AtomDirectory& directory);
    void add_cut_clusters(const Communicator& comm, const AtomDirectory& directory);
    void request_stale(std::int32_t cluster, const std::vector<std::int32_t>& computed, const AtomDirectory& directory,
                       std::vector<CopyRequest>& requests) const;
    const LinkReach& reach_of(const ConstraintCluster& cluster);

    std::int32_t n_owned_ = 0;
    std::unordered_map<const ConstraintCluster*, std::vector<std::int32_t>> places_;
    std::unordered_map<const ConstraintCluster*, LinkReach> reach_;
};

} // namespace holon
