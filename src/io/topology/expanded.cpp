#include <holon/core/error.hpp>
#include <holon/io/topology_file.hpp>

#include "fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

/// The text form of an ExpandedTopology. Origins stand in comments, so that GROMACS reads the text as well:
///   ;@file NAME         the next file of the list
///   ;@unused NAME       a define that nothing asked for
///   ;@note TEXT         a note
///   ;@ FILE LINE        origin of the next data line; without it, the line after the previous one of the same file
namespace holon {

namespace {

constexpr std::string_view file_mark = ";@file ";
constexpr std::string_view unused_mark = ";@unused ";
constexpr std::string_view note_mark = ";@note ";
constexpr std::string_view origin_mark = ";@ ";

/// Takes a non-negative number and the blank after it off `text`.
bool take_number(std::string_view& text, std::int32_t& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(' ')) text.remove_prefix(1);
    return true;
}

} // namespace

std::string ExpandedTopology::where(std::size_t k) const
{
    return fmt::format("{}:{}", files[static_cast<std::size_t>(lines[k].file)], lines[k].number);
}

std::string ExpandedTopology::content() const
{
    std::string text;
    for (const TopologyLine& line : lines) text.append(line.text).append("\n");
    return text;
}

std::string ExpandedTopology::to_text() const
{
    std::string text;
    for (const std::string& file : files) text.append(file_mark).append(file).append("\n");
    for (const std::string& name : unused_defines) text.append(unused_mark).append(name).append("\n");
    for (const std::string& note : notes) text.append(note_mark).append(note).append("\n");
    const TopologyLine* previous = nullptr;
    for (const TopologyLine& line : lines) {
        const bool follows = previous && line.file == previous->file && line.number == previous->number + 1;
        if (!follows) fmt::format_to(std::back_inserter(text), "{}{} {}\n", origin_mark, line.file, line.number);
        text.append(line.text).append("\n");
        previous = &line;
    }
    return text;
}

ExpandedTopology ExpandedTopology::from_text(std::string_view text)
{
    ExpandedTopology result;
    TopologyLine next{-1, 0, {}};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with(file_mark)) {
            result.files.emplace_back(line.substr(file_mark.size()));
        } else if (line.starts_with(unused_mark)) {
            result.unused_defines.emplace_back(line.substr(unused_mark.size()));
        } else if (line.starts_with(note_mark)) {
            result.notes.emplace_back(line.substr(note_mark.size()));
        } else if (line.starts_with(origin_mark)) {
            line.remove_prefix(origin_mark.size());
            if (!take_number(line, next.file) || !take_number(line, next.number) || !line.empty() ||
                static_cast<std::size_t>(next.file) >= result.files.size())
                throw InputError("the stored topology is damaged: it names an origin that does not exist");
        } else {
            if (next.file < 0) throw InputError("the stored topology is damaged: a line has no origin");
            next.text = line;
            result.lines.push_back(next);
            if (next.number == std::numeric_limits<std::int32_t>::max())
                throw InputError("the stored topology is damaged: it has more lines than a file can have");
            ++next.number;
        }
    }
    return result;
}

} // namespace holon
