#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace holon {

/// What all ranks agree on once per step.
enum class Vote : std::uint8_t {
    displacement,         // since the pair list was built [2^-48 nm]
    failed,               // something on this rank
    warned,               // likewise
    stop,                 // asked to stop early
    output_failed,        // something cannot be written
    checkpoint_sync_due,  // see CheckpointVote
    checkpoint_sync_busy, // likewise
    count
};

/// One number for each: of a rank, or the largest of all ranks. Yes is 1, no is 0.
struct Votes {
    std::array<std::int64_t, static_cast<std::size_t>(Vote::count)> values{};

    std::int64_t& operator[](Vote vote) { return values[static_cast<std::size_t>(vote)]; }
    std::int64_t operator[](Vote vote) const { return values[static_cast<std::size_t>(vote)]; }
    bool yes(Vote vote) const { return (*this)[vote] != 0; }
};

} // namespace holon
