#pragma once

#include <holon/core/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

/// What fuzzers share. A fuzzer, <name>_fuzzer.cpp, is LLVMFuzzerTestOneInput(), called with any bytes: it gives them
/// to the code and aborts if that breaks a promise. Built with libFuzzer by tools/fuzz, and by any compiler with
/// replay.cpp for the default tests, over corpus/<name>: seeds of our own and everything that ever was a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace holon::fuzz {

/// Aborts: the code has broken a promise.
inline void require(bool kept, std::string_view promise, std::string_view values = {})
{
    if (kept) return;
    std::fprintf(stderr, "broken promise: %.*s (%.*s)\n", static_cast<int>(promise.size()), promise.data(),
                 static_cast<int>(values.size()), values.data());
    std::abort();
}

/// Whether a terminal shows the text as it is.
inline void require_printable(std::string_view text)
{
    const auto control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; };
    require(!text.empty() && std::ranges::none_of(text, control), "messages can be shown", text);
}

/// Whether `work` takes its input. If not, an InputError says so, in a message that a terminal shows as it is.
template <class Work>
bool takes(Work work)
{
    try {
        work();
        return true;
    } catch (const InputError& error) {
        require_printable(error.what());
        return false;
    }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

/// The first line of a text, which is taken off it.
inline std::string_view take_line(std::string_view& text)
{
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

} // namespace holon::fuzz
