#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace holon {

/// How far a text file had come: its first `bytes` bytes and their checksum.
struct TextMark {
    std::int64_t bytes = 0;
    std::uint64_t checksum = 0;
    bool operator==(const TextMark&) const = default;
};

/// A text file that only grows, and can say at any time how far it has come: a later start of the program checks that
/// the file still begins so, and drops what came after. For one rank.
class AppendFile {
public:
    /// A new file that begins with `text`; one that is there is replaced as a whole. Failure, if that does not work.
    static AppendFile create(const std::string& path, std::string_view text = {});

    /// Goes on after the first `bytes` bytes; what follows is dropped. Failure, if that does not work.
    static AppendFile resume(const std::string& path, std::int64_t bytes);

    /// Why a file does not begin as it did at a mark, as half a sentence; empty, if it does. Changes nothing.
    static std::string mismatch(const std::string& path, const TextMark& mark);

    ~AppendFile();
    AppendFile(AppendFile&&) noexcept;
    AppendFile& operator=(AppendFile&&) noexcept;

    void append(std::string_view text); // does nothing after a failure
    void sync();                        // to disk; likewise
    TextMark mark() const;              // of what has been written without failure
    const std::string& error() const;   // empty, or why writing failed

private:
    struct Impl;
    explicit AppendFile(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace holon
