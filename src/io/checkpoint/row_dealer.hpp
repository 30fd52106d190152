#pragma once

#include "layout.hpp"

#include <holon/comm/communicator.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace holon {

/// Deals the rows of a slot, which rank 0 reads, out to all ranks: each gets an equal share, and no rank holds them
/// all. Unless they are many, nothing is sent before all have been read: the run that writes them may go on.
class RowDealer {
public:
    explicit RowDealer(const Communicator& comm);

    // Rank 0, while the others are in receive():
    void begin(const CheckpointDirectory& directory); // all ranks forget what they have
    void deal(SlotPart part, std::span<const std::byte> rows);
    void end(); // what is dealt arrives, and receive() returns

    void receive();
    SlotRows& rows() { return rows_; } // this rank's share

private:
    enum class Word : std::int64_t { rows, begin, end };
    void say(Word word);
    void send();
    void take(std::span<const Message> messages);

    Communicator comm_;
    std::array<std::int64_t, 4> total_{}; // rows of each part,
    std::array<std::int64_t, 4> dealt_{};
    std::vector<Message> pending_; // to each rank
    std::size_t pending_bytes_ = 0;
    bool sent_ = false; // anything since begin()
    SlotRows rows_;
};

} // namespace holon
