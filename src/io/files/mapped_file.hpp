#pragma once

#include "raw_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace holon {

struct MappingGuard; // against the signal that the system sends where it has no page

/// A file as memory: what is stored there is in the pages of the file at once, as after a write, but for no call of the
/// system, and any number of processes do it at the same time. Pages must have been written before, so that there is
/// space for them. Pages that this process has touched count as its memory.
class MappedFile {
public:
    MappedFile() = default;                   // maps nothing
    explicit MappedFile(const RawFile& file); // all of it, as long as it is now; nothing, if the system refuses
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }
    MappedFile& operator=(MappedFile&& other) noexcept;

    explicit operator bool() const { return memory_ != nullptr; }

    /// Past the caches: what is written is not read again.
    void write(std::span<const std::byte> bytes, std::int64_t offset) const;

    /// Gives pages [begin, end) back, which stay in the file; begin, end: multiples of the page.
    void forget(std::int64_t begin, std::int64_t end) const;

    /// All that has been written becomes visible to others before anything that is stored later. Failure, if the system
    /// had no page for some of it; `path`: for the message.
    void complete(const std::string& path) const;

private:
    std::byte* memory_ = nullptr;
    std::size_t size_ = 0;
    MappingGuard* guard_ = nullptr;
};

} // namespace holon
