// Compiled once per instruction set: see kernel_variant.hpp.
#include "checksum_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

// The library is used from its header, and with the widest vectors that the compiler may use here.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace holon {

void HOLON_NAME(add_to_checksum)(void* state, const void* bytes, std::size_t size)
{
    // What is to come is fetched early, into the second cache, which waits for more of it at a time than the first: a
    // fifth of the time of what is in no cache.
    constexpr std::size_t ahead = 16384, line = 64, chunk = 1024;
    const char* const begin = static_cast<const char*>(bytes);
    for (std::size_t at = 0; at < size; at += chunk) {
        const std::size_t n = size - at < chunk ? size - at : chunk;
        for (std::size_t l = at + ahead; l < at + ahead + n && l < size; l += line) __builtin_prefetch(begin + l, 0, 2);
        XXH3_64bits_update(static_cast<XXH3_state_t*>(state), begin + at, n);
    }
}

} // namespace holon
