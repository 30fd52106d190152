#pragma once

#include <algorithm>
#include <string>

namespace holon {

/// The text with '?' for control characters, which what a message quotes may have: a terminal shows it as it is. Lines
/// may end in it.
inline std::string without_control_characters(std::string text)
{
    std::ranges::replace_if(
        text, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; }, '?');
    return text;
}

} // namespace holon
