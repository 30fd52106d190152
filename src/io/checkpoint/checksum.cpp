#include "checksum.hpp"

#include "checksum_kernel.hpp"

#include <holon/core/instruction_sets.hpp>

// The library is used from its header: nothing to link.
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
    HOLON_CALL(add_to_checksum, &state_->xxh, bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const
{
    return XXH3_64bits_digest(&state_->xxh);
}

std::uint64_t checksum(std::span<const std::byte> bytes)
{
    Checksum sum;
    sum.add(bytes);
    return sum.value();
}

} // namespace holon
