#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

/// Defined where arrays are allocated as `large_page` says: sanitizers have allocations of their own, which find
/// errors.
#if defined(__linux__) && defined(__GLIBC__) && !defined(HOLON_SANITIZED)
#define HOLON_LARGE_PAGES
#endif

/// Memory beyond what the standard library's containers do with it. (With the GNU C library; else nothing is done.)
namespace holon {

/// Arrays of this many bytes and more, from whatever container, begin at a multiple of it and are in pages of this
/// size, where the system has them.
inline constexpr std::size_t large_page = std::size_t{1} << 21;

/// From now on, arrays of 128 kB and more, which come and go with every repartition, go back to the system when they
/// are freed. Left to itself the C library keeps more and more of them, a seventh of all memory. Of few atoms a rank,
/// whose memory nobody misses, only those of 1 MB and more do: getting pages again and again takes 1 to 3 % of their
/// time. Where pages take the system long, as in some guests, only those of 4 MB and more do: the others would be a
/// tenth of the time of a run.
void return_large_arrays(double atoms_per_rank);

/// Returns what is free now, and the code and constants that are in memory, of which a run needs a third of what its
/// start does: after something that is not done again.
void return_unused_memory();

/// Empties the vector and frees its memory, which neither clear() nor an assignment of {} does.
template <class T>
void release(std::vector<T>& vector)
{
    std::vector<T>().swap(vector);
}

/// Room for numbers, for a writer that knows how much it needs before it writes. Not a vector: memory that is never
/// written costs none, and large ones grow where they are.
template <class T>
class Room {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

public:
    Room() = default;
    Room(Room&& other) noexcept : entries_(std::move(other.entries_)), size_(std::exchange(other.size_, 0)) {}
    Room& operator=(Room&& other) noexcept
    {
        entries_ = std::move(other.entries_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    std::size_t size() const { return size_; }
    T* data() { return entries_.get(); }
    const T* data() const { return entries_.get(); }

    /// At least `wanted`, what has been written is kept.
    void grow(std::size_t wanted)
    {
        if (size_ >= wanted) return;
        const std::size_t size = wanted + wanted / 4;
        void* const grown = std::realloc(entries_.get(), size * sizeof(T));
        if (grown == nullptr) throw std::bad_alloc();
        static_cast<void>(entries_.release());
        entries_.reset(static_cast<T*>(grown));
        size_ = size;
    }

private:
    struct Free {
        void operator()(T* entries) const { std::free(entries); }
    };
    std::unique_ptr<T[], Free> entries_;
    std::size_t size_ = 0;
};

} // namespace holon
