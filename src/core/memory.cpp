#include <holon/core/memory.hpp>

#if defined(__GLIBC__)
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <string>
#include <sys/mman.h>
#endif

namespace holon {

#if defined(__GLIBC__)
namespace {

/// What the system takes to give a page [s]: the least of some trials, together below 1 ms where it is fast. A host may
/// have to find the first ones for its guest.
double cost_of_page()
{
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t page = 4096, bytes = 256 * page;
    double least = std::numeric_limits<double>::infinity();
    for (int trial = 0; trial < 4; ++trial) {
        const auto start = Clock::now();
        void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return 0.0;
        for (std::size_t byte = 0; byte < bytes; byte += page) static_cast<volatile char*>(memory)[byte] = 1;
        ::munmap(memory, bytes);
        least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return least * page / bytes;
}

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

void return_large_arrays(double atoms_per_rank)
{
#if defined(__GLIBC__)
    constexpr double long_time = 2e-6; // [s]; 0.1 to 0.8e-6 is usual
    constexpr double few_atoms = 3e4;
    const int large = cost_of_page() >= long_time ? 1 << 22 : atoms_per_rank < few_atoms ? 1 << 20 : 1 << 17;
    mallopt(M_MMAP_THRESHOLD, large);
    mallopt(M_TRIM_THRESHOLD, large);
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
