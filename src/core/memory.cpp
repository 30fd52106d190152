#include <holon/core/memory.hpp>

#if defined(__GLIBC__)
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/mman.h>
#endif

namespace holon {

#if defined(__GLIBC__)
namespace {

/// Pages of files that nobody can write to come back from there where they are used again; unless somebody has changed
/// them all the same (libraries that hook into others do, and debuggers): they count as anonymous then.
void return_pages_of_files()
{
    std::ifstream maps("/proc/self/smaps");
    std::uintptr_t begin = 0, end = 0;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t first = 0, last = 0, inode = 0;
        char access[5] = {};
        std::size_t anonymous = 1;
        if (std::sscanf(line.c_str(), "%lx-%lx %4s %*x %*s %lu", &first, &last, access, &inode) == 4) {
            const bool lasts = access[1] == '-' && access[3] == 'p' && inode != 0;
            begin = lasts ? first : 0;
            end = lasts ? last : 0;
        } else if (std::sscanf(line.c_str(), "Anonymous: %zu", &anonymous) == 1 && anonymous == 0 && begin < end) {
            ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED); // NOLINT(performance-no-int-to-ptr)
        }
    }
}

} // namespace
#endif

void return_large_arrays()
{
#if defined(__GLIBC__)
    constexpr int large = 1 << 22, kept = 1 << 22; // smaller ones, new at every repartition, cost a fault for each page
    mallopt(M_MMAP_THRESHOLD, large);
    mallopt(M_TRIM_THRESHOLD, kept);
#endif
}

void return_unused_memory()
{
#if defined(__GLIBC__)
    malloc_trim(0);
    return_pages_of_files();
#endif
}

} // namespace holon
