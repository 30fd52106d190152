#pragma once

#include <holon/comm/communicator.hpp>

#include <map>
#include <utility>
#include <vector>

namespace holon {

/// Messages to be filled rank by rank.
class Outbox {
public:
    std::vector<std::byte>& to(int rank) { return bytes_[rank]; }
    std::vector<Message> take()
    {
        std::vector<Message> messages;
        for (auto& [rank, data] : bytes_) messages.push_back({rank, std::move(data)});
        return messages;
    }

private:
    std::map<int, std::vector<std::byte>> bytes_;
};

} // namespace holon
