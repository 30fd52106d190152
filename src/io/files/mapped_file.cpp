#include "mapped_file.hpp"

#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace holon {

/// Where the system has no page for a store, it sends SIGBUS: the file has been cut short, or a file system that writes
/// to new places has none left. The run is to end with a message then. So memory of nobody takes the page's place, and
/// the mapping is marked.
struct MappingGuard {
    std::atomic<std::byte*> begin = nullptr; // null: free
    std::atomic<std::size_t> size = 0;
    std::atomic<bool> failed = false;
};

namespace {

constinit std::array<MappingGuard, 4> guards;
struct sigaction action_before {};

void on_bus_error(int signal, siginfo_t* info, void* context)
{
    auto* const address = static_cast<std::byte*>(info->si_addr);
    for (auto& guard : guards) {
        auto* const begin = guard.begin.load();
        if (begin == nullptr || address < begin || address >= begin + guard.size.load()) continue;
        const auto page = index(::sysconf(_SC_PAGESIZE));
        void* const place = begin + index(address - begin) / page * page;
        guard.failed = true;
        if (::mmap(place, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
            return;
    }
    if ((action_before.sa_flags & SA_SIGINFO) != 0 && action_before.sa_sigaction != nullptr)
        return action_before.sa_sigaction(signal, info, context);
    ::sigaction(signal, &action_before, nullptr); // the store is tried again, and then ends the program
}

MappingGuard* guarded(std::byte* memory, std::size_t size)
{
    static const bool installed = [] {
        struct sigaction action {};
        action.sa_sigaction = on_bus_error;
        action.sa_flags = SA_SIGINFO;
        sigemptyset(&action.sa_mask);
        return ::sigaction(SIGBUS, &action, &action_before) == 0;
    }();
    const auto free =
        std::ranges::find_if(guards, [](const MappingGuard& guard) { return guard.begin.load() == nullptr; });
    if (!installed || free == guards.end()) return nullptr;
    free->failed = false;
    free->size = size;
    free->begin = memory;
    return &*free;
}

/// `to`: at a multiple of 16.
void stream(std::byte* to, std::span<const std::byte> from)
{
    std::size_t i = 0;
#if defined(__SSE2__)
    constexpr std::size_t line = 64, part = sizeof(__m128i);
    for (; i + line <= from.size(); i += line)
        for (std::size_t k = i; k < i + line; k += part)
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + k),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(from.data() + k)));
#endif
    std::memcpy(to + i, from.data() + i, from.size() - i);
}

} // namespace

MappedFile::MappedFile(const RawFile& file) : size_(index(file.size()))
{
    auto* const memory = file.map(0, file.size(), RawFile::Mode::write);
    if (memory == nullptr) return;
    guard_ = guarded(memory, size_);
    if (guard_ == nullptr)
        ::munmap(memory, size_);
    else
        memory_ = memory;
}

MappedFile::~MappedFile()
{
    if (memory_ == nullptr) return;
    guard_->begin = nullptr;
    ::munmap(memory_, size_);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(guard_, other.guard_);
    return *this;
}

void MappedFile::write(std::span<const std::byte> bytes, std::int64_t offset) const
{
    HOLON_ASSERT(offset >= 0 && offset % 16 == 0 && index(offset) + bytes.size() <= size_,
                 fmt::format("{} bytes at {} of {}", bytes.size(), offset, size_));
    stream(memory_ + offset, bytes);
}

void MappedFile::forget(std::int64_t begin, std::int64_t end) const
{
    if (begin < end) ::madvise(memory_ + begin, index(end - begin), MADV_DONTNEED);
}

void MappedFile::complete(const std::string& path) const
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
    if (guard_ != nullptr && guard_->failed)
        throw Failure(fmt::format("Cannot write {}: it has been cut short, or there is no room on the disk for what is "
                                  "written anew. Make room and restart; nobody else may change the files of a run.",
                                  path));
}

} // namespace holon
