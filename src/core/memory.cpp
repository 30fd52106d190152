#include <holon/core/memory.hpp>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace holon {

void return_large_arrays()
{
#if defined(__GLIBC__)
    constexpr int large = 1 << 17;
    mallopt(M_MMAP_THRESHOLD, large);
#endif
}

void return_free_memory()
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

} // namespace holon
