#include <holon/core/memory.hpp>

#if defined(__GLIBC__)
#include <cstdint>
#include <fstream>
#include <link.h>
#include <malloc.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace holon {

#if defined(__GLIBC__)
namespace {

/// A debugger's breakpoints are changes of the code, which would be lost with it.
bool is_traced()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "TracerPid:") return status >> word && word != "0";
    return true; // who knows
}

/// What is never written is in the file, and comes back from there where it is used again.
int return_pages_of(dl_phdr_info* object, std::size_t, void*)
{
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& part = object->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
        const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
        const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
        if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }
    return 0;
}

} // namespace
#endif

void return_large_arrays()
{
#if defined(__GLIBC__)
    constexpr int large = 1 << 17;
    mallopt(M_MMAP_THRESHOLD, large);
#endif
}

void return_unused_memory()
{
#if defined(__GLIBC__)
    malloc_trim(0);
    if (!is_traced()) dl_iterate_phdr(return_pages_of, nullptr);
#endif
}

} // namespace holon
