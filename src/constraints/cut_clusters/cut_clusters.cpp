#include "cut_clusters.hpp"

#include <holon/comm/outbox.hpp>
#include <holon/core/index.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace holon {

std::vector<ClusterKey> number_cut_clusters(const Communicator& comm, const std::vector<ClusterKey>& cut_here)
{
    auto keys = comm.concatenate(std::span(cut_here));
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

void need_whole_cluster(const ConstraintCluster& cluster, MoleculeNeeds& needs)
{
    if (cluster.small) return;
    for (const auto atom : cluster.atoms) {
        auto& beyond = needs.beyond[index(atom)];
        std::ranges::copy_if(cluster.atoms, std::back_inserter(beyond), [&](std::int32_t a) { return a != atom; });
        std::ranges::sort(beyond);
        beyond.erase(std::ranges::unique(beyond).begin(), beyond.end());
        needs.needed[index(atom)] = true;
    }
}

std::vector<HaloExchange> make_copy_exchanges(const Communicator& comm, int n_channels,
                                              std::vector<CopyRequest> requests,
                                              const std::function<std::int32_t(AtomId)>& index_of)
{
    std::ranges::sort(requests, {}, [](const CopyRequest& r) { return std::tuple(r.owner, r.channel, r.id); });
    const auto channels = index(n_channels);
    std::vector<std::vector<HaloSend>> sends(channels);
    std::vector<std::vector<HaloReceive>> receives(channels);

    const auto list_of = [](auto& lists, int rank) -> auto&
    {
        if (lists.empty() || lists.back().rank != rank) lists.emplace_back().rank = rank;
        return lists.back();
    };
    struct Wanted {
        AtomId id;
        std::int32_t channel;
    };
    Outbox<Wanted> wanted;
    for (const auto& request : requests) {
        wanted.send(request.owner, {request.id, request.channel});
        list_of(receives[index(request.channel)], request.owner).atoms.push_back(request.copy);
    }
    wanted.exchange(comm, [&](int rank, const Wanted& atom) {
        list_of(sends[index(atom.channel)], rank).atoms.push_back(index_of(atom.id));
    });
    std::vector<HaloExchange> exchanges;
    for (std::size_t c = 0; c < channels; ++c)
        exchanges.emplace_back(comm, std::move(sends[c]), std::move(receives[c]));
    return exchanges;
}

} // namespace holon
