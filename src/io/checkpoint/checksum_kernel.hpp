#pragma once

#include <cstddef>

/// The inner loop of checksums, once per instruction set.
namespace holon {

using AddToChecksum = void(void* state, const void* bytes, std::size_t size); // an XXH3_state_t
AddToChecksum add_to_checksum_baseline, add_to_checksum_v3, add_to_checksum_v4;

} // namespace holon
