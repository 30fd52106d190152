#pragma once

#include "fuzzer.hpp"

#include <io/files/raw_file.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

/// Fuzzers of files that we lay out ourselves. The input says how a good file is changed: one byte of flags, which say
/// what is made to match again (so that checksums hide the change), and then edits of 12 bytes.
namespace holon::fuzz {

struct Edit {
    std::uint8_t target; // what is changed; with `add_bit`, a word becomes its sum with `value`
    std::uint8_t part;   // of several alike
    std::uint16_t at;    // word in it
    std::uint64_t value;

    static constexpr std::uint8_t add_bit = 0x80;
    bool adds() const { return (target & add_bit) != 0; }
    int kind(int kinds) const { return (target & ~add_bit) % kinds; }
};

class Edits {
public:
    Edits(const std::uint8_t* data, std::size_t size)
    {
        if (size == 0) return;
        flags_ = data[0];
        for (std::size_t at = 1; at + 12 <= size && edits_.size() < most; at += 12) {
            Edit edit{data[at], data[at + 1], 0, 0};
            std::memcpy(&edit.at, data + at + 2, sizeof edit.at);
            std::memcpy(&edit.value, data + at + 4, sizeof edit.value);
            edits_.push_back(edit);
        }
    }
    bool flag(int k) const { return (flags_ >> k & 1) != 0; }
    auto begin() const { return edits_.begin(); }
    auto end() const { return edits_.end(); }
    bool empty() const { return edits_.empty(); }

private:
    static constexpr std::size_t most = 64;
    unsigned flags_ = 0;
    std::vector<Edit> edits_;
};

/// A file in memory, of which copies are changed.
class Bytes {
public:
    Bytes() = default;
    explicit Bytes(const std::string& path)
    {
        const RawFile file(path, RawFile::Mode::read);
        bytes_.resize(static_cast<std::size_t>(file.size()));
        file.read(bytes_, 0);
    }

    std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }
    void truncate(std::int64_t size) { bytes_.resize(static_cast<std::size_t>(std::min(size, this->size()))); }
    std::span<std::byte> all() { return bytes_; }

    bool has(std::int64_t offset, std::int64_t count) const
    {
        return offset >= 0 && count >= 0 && offset <= size() && count <= size() - offset;
    }
    std::span<std::byte> part(std::int64_t offset, std::int64_t count)
    {
        return std::span(bytes_).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count));
    }

    /// Changes a word of 8 bytes, if it is in the file.
    void change(std::int64_t offset, const Edit& edit)
    {
        if (!has(offset, 8)) return;
        const auto word = get<std::uint64_t>(offset);
        put(offset, edit.adds() ? word + edit.value : edit.value);
    }

    template <class T>
    T get(std::int64_t offset)
    {
        T value;
        std::memcpy(&value, part(offset, sizeof value).data(), sizeof value);
        return value;
    }
    template <class T>
    void put(std::int64_t offset, const T& value)
    {
        std::memcpy(part(offset, sizeof value).data(), &value, sizeof value);
    }

    /// Copies the page `from` over the page `to`; both wrap round at the end of the file.
    void copy_page(std::uint64_t from, std::uint64_t to)
    {
        constexpr std::int64_t page = 4096;
        const auto pages = static_cast<std::uint64_t>(size() / page);
        if (pages == 0) return;
        const auto source = part(static_cast<std::int64_t>(from % pages) * page, page);
        std::memmove(part(static_cast<std::int64_t>(to % pages) * page, page).data(), source.data(), source.size());
    }

    void write(const std::string& path) const { RawFile(path, RawFile::Mode::create).write(bytes_, 0); }

private:
    std::vector<std::byte> bytes_;
};

} // namespace holon::fuzz
