#pragma once

#include <holon/core/index.hpp>

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
    std::array<std::int64_t, index(Vote::count)> values{};

    std::int64_t& operator[](Vote vote) { return values[index(vote)]; }
    std::int64_t operator[](Vote vote) const { return values[index(vote)]; }
    bool yes(Vote vote) const { return (*this)[vote] != 0; }
};

} // namespace holon
