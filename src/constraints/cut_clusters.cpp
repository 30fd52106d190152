#include "cut_clusters.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace holon {

std::vector<ClusterKey> number_cut_clusters(const Communicator& comm, const std::vector<ClusterKey>& cut_here)
{
    std::vector<std::byte> bytes;
    Packer packer(bytes);
    for (const auto& [molecule, index] : cut_here) {
        packer.put(molecule);
        packer.put(index);
    }
    const auto gathered = comm.gather(bytes);
    std::string text(reinterpret_cast<const char*>(gathered.data()), gathered.size());
    comm.broadcast(text);

    std::vector<ClusterKey> keys;
    Unpacker unpacker(std::as_bytes(std::span(text)));
    while (!unpacker.empty()) {
        const auto molecule = unpacker.get<std::int64_t>();
        keys.emplace_back(molecule, unpacker.get<std::int32_t>());
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

std::vector<HaloExchange> make_copy_exchanges(const Communicator& comm, int n_channels,
                                              std::vector<CopyRequest> requests,
                                              const std::function<std::int32_t(AtomId)>& index_of)
{
    std::ranges::sort(requests, {}, [](const CopyRequest& r) { return std::tuple(r.owner, r.channel, r.id); });
    const auto channels = static_cast<std::size_t>(n_channels);
    std::vector<std::vector<HaloSend>> sends(channels);
    std::vector<std::vector<HaloReceive>> receives(channels);

    std::vector<Message> outgoing;
    for (const auto& request : requests) {
        if (outgoing.empty() || outgoing.back().rank != request.owner) outgoing.push_back({request.owner, {}});
        Packer packer(outgoing.back().data);
        packer.put(std::int32_t{request.channel});
        packer.put(request.id);
        auto& lists = receives[static_cast<std::size_t>(request.channel)];
        if (lists.empty() || lists.back().rank != request.owner) lists.push_back({request.owner, {}});
        lists.back().atoms.push_back(request.copy);
    }
    for (const auto& message : comm.exchange(std::move(outgoing))) {
        Unpacker unpacker(message.data);
        while (!unpacker.empty()) {
            auto& lists = sends[static_cast<std::size_t>(unpacker.get<std::int32_t>())];
            if (lists.empty() || lists.back().rank != message.rank) lists.push_back({message.rank, {}, {}, {}});
            lists.back().atoms.push_back(index_of(unpacker.get<AtomId>()));
        }
    }
    std::vector<HaloExchange> exchanges;
    for (std::size_t c = 0; c < channels; ++c)
        exchanges.emplace_back(comm, std::move(sends[c]), std::move(receives[c]));
    return exchanges;
}

} // namespace holon
