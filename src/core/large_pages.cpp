// Large arrays ask for large pages. In pages of 4 kB the arrays of a hundred thousand atoms are more than a processor's
// tables of pages hold; in those of 2 MB a step takes 3 to 4 % less time there. Some systems give large pages to
// everybody, others only to those who ask.
#include <holon/core/memory.hpp>

#if defined(HOLON_LARGE_PAGES)
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace {

/// Null: there is none. Arrays of a large page and more begin at one; what is left over at their end is in usual pages,
/// so that no memory is lost.
void* allocate(std::size_t bytes, std::size_t alignment)
{
    constexpr std::size_t page = holon::large_page;
    if (bytes < page && alignment <= alignof(std::max_align_t)) return std::malloc(std::max<std::size_t>(bytes, 1));
    void* memory = nullptr;
    if (::posix_memalign(&memory, bytes < page ? alignment : std::max(alignment, page), bytes) != 0) return nullptr;
    if (bytes >= page) ::madvise(memory, bytes / page * page, MADV_HUGEPAGE); // where the system has them
    return memory;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment)
{
    for (;;) {
        void* const memory = allocate(bytes, alignment);
        if (memory != nullptr) return memory;
        const std::new_handler make_room = std::get_new_handler();
        if (make_room == nullptr) throw std::bad_alloc();
        make_room();
    }
}

} // namespace

// In place of the standard library's, for the whole program: arrays are vectors of many kinds.

void* operator new(std::size_t bytes)
{
    return allocate_or_throw(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
    return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}
#endif
