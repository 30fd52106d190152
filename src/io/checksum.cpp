#include "checksum.hpp"

// The library is used from its header: nothing to link, and one call may be inlined into the loop over pieces.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace holon {

struct Checksum::State {
    alignas(64) XXH3_state_t xxh;
};

Checksum::Checksum() : state_(std::make_unique<State>())
{
    XXH3_64bits_reset(&state_->xxh);
}

Checksum::~Checksum() = default;

void Checksum::add(std::span<const std::byte> bytes)
{
    XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const
{
    return XXH3_64bits_digest(&state_->xxh);
}

std::uint64_t checksum(std::span<const std::byte> bytes)
{
    return XXH3_64bits(bytes.data(), bytes.size());
}

} // namespace holon
