#pragma once

#include <holon/comm/halo_exchange.hpp>
#include <holon/constraints/solver.hpp>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

/// What solvers of clusters that lie across several domains need at repartition.
namespace holon {

/// A cluster of the system: molecule, index in the molecule.
using ClusterKey = std::pair<std::int64_t, std::int32_t>;

/// The cut clusters of all ranks, each once, in ascending order: the place in it numbers them alike everywhere.
/// Collective.
std::vector<ClusterKey> number_cut_clusters(const Communicator& comm, const std::vector<ClusterKey>& cut_here);

/// Where an atom is owned and one bound to it is not, all of the cluster; small ones are there anyway.
void need_whole_cluster(const ConstraintCluster& cluster, MoleculeNeeds& needs);

/// A copy that is to be refreshed by the owner of its atom.
struct CopyRequest {
    int channel = 0;
    AtomId id = 0;
    std::int32_t copy = 0; // index in the arrays that will be exchanged
    int owner = 0;         // rank
};

/// One exchange per channel, which refreshes the copies that were asked for in that channel. `index_of(id)` is where
/// this rank keeps an atom that it owns in the arrays that will be exchanged. Collective; n_channels is the same on all
/// ranks.
std::vector<HaloExchange> make_copy_exchanges(const Communicator& comm, int n_channels,
                                              std::vector<CopyRequest> requests,
                                              const std::function<std::int32_t(AtomId)>& index_of);

} // namespace holon
