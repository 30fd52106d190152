// Compiled once per instruction set, with HOLON_VARIANT naming it; see CMakeLists.txt.
#include "checksum_kernel.hpp"

// The library is used from its header, and with the widest vectors that the compiler may use here.
#define XXH_INLINE_ALL
#include <xxhash.h>

#if !defined(HOLON_VARIANT)
#define HOLON_VARIANT baseline
#endif
#define HOLON_JOIN(name, variant) name##_##variant
#define HOLON_NAME(name, variant) HOLON_JOIN(name, variant)

namespace holon {

void HOLON_NAME(add_to_checksum, HOLON_VARIANT)(void* state, const void* bytes, std::size_t size)
{
    XXH3_64bits_update(static_cast<XXH3_state_t*>(state), bytes, size);
}

} // namespace holon
