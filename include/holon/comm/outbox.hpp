#pragma once

#include <holon/comm/communicator.hpp>

#include <map>
#include <utility>
#include <vector>

namespace holon {

/// Values of one type for other ranks, or for oneself: filled value by value, then delivered in one round of messages.
template <class T>
class Outbox {
public:
    void send(int rank, const T& value) { Packer(bytes_[rank]).put(value); }

    /// Sends all of it and calls receive(rank, value) for each value that arrives: by sender, in the order in which
    /// that one filled them in. The outbox is empty then. Collective.
    template <class Receive>
    void exchange(const Communicator& comm, Receive receive)
    {
        std::vector<Message> messages;
        for (auto& [rank, data] : bytes_) messages.push_back({rank, std::move(data)});
        bytes_.clear();
        for (const auto& message : comm.exchange(std::move(messages)))
            for (Unpacker unpack(message.data); !unpack.empty();) receive(message.rank, unpack.template get<T>());
    }

    /// Likewise, where it does not matter who has sent them: at the end of `values`.
    void exchange(const Communicator& comm, std::vector<T>& values)
    {
        exchange(comm, [&values](int, const T& value) { values.push_back(value); });
    }

private:
    std::map<int, std::vector<std::byte>> bytes_;
};

} // namespace holon
