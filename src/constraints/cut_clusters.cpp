#include "cut_clusters.hpp"

#include <holon/core/error.hpp>

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

std::unordered_map<AtomId, int> find_owners(const Communicator& comm, const std::vector<AtomId>& own,
                                            std::vector<AtomId> wanted)
{
    if (!comm.any(!wanted.empty())) return {};
    std::ranges::sort(wanted);
    wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
    constexpr AtomId ids_together = 64;
    constexpr std::uint8_t publish = 0, query = 1;
    const auto take = [](std::map<int, std::vector<std::byte>>& by_rank) {
        std::vector<Message> messages;
        for (auto& [rank, data] : by_rank) messages.push_back({rank, std::move(data)});
        return messages;
    };

    std::map<int, std::vector<std::byte>> to_directory;
    const auto put = [&](AtomId id, std::uint8_t what) {
        Packer packer(to_directory[static_cast<int>(id / ids_together % comm.size())]);
        packer.put(id);
        packer.put(what);
    };
    for (const auto id : own) put(id, publish);
    for (const auto id : wanted) put(id, query);
    std::unordered_map<AtomId, int> published;
    std::vector<std::pair<int, AtomId>> queries;
    for (const auto& message : comm.exchange(take(to_directory))) {
        Unpacker unpacker(message.data);
        while (!unpacker.empty()) {
            const auto id = unpacker.get<AtomId>();
            if (unpacker.get<std::uint8_t>() == publish)
                published[id] = message.rank;
            else
                queries.emplace_back(message.rank, id);
        }
    }
    std::map<int, std::vector<std::byte>> answers;
    for (const auto& [rank, id] : queries) {
        const auto found = published.find(id);
        HOLON_ASSERT(found != published.end(), "no rank owns atom id " + std::to_string(id));
        Packer packer(answers[rank]);
        packer.put(id);
        packer.put(found->second);
    }
    std::unordered_map<AtomId, int> owners;
    for (const auto& message : comm.exchange(take(answers))) {
        Unpacker unpacker(message.data);
        while (!unpacker.empty()) {
            const auto id = unpacker.get<AtomId>();
            owners[id] = unpacker.get<int>();
        }
    }
    return owners;
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
