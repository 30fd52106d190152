#include "fields.hpp"

#include <holon/core/error.hpp>
#include <holon/io/text_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace holon {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

/// Converts a whole field; false if anything of it is left over or it is out of range.
template <class Number>
bool convert(std::string_view field, Number& value)
{
    if (field.starts_with('+')) field.remove_prefix(1);
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    return error == std::errc{} && end == field.data() + field.size();
}

} // namespace

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string in_quotes(std::string_view text)
{
    return "'" + printable(text) + "'";
}

Fields::Fields(const ExpandedTopology& source, std::size_t line, std::string_view section)
    : source_(&source), line_(line), section_(section)
{
    const std::string_view text = source.lines[line].text;
    for (std::size_t begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
        const std::string_view field = text.substr(begin, end - begin);
        if (!fields_.empty() && (field[0] == '#' || field[0] == '!' || field.starts_with("//"))) break;
        fields_.push_back(field);
        begin = text.find_first_not_of(blanks, end);
    }
}

std::size_t Fields::numbers_from(std::size_t first) const
{
    std::size_t count = 0;
    for (double value = 0.0; first + count < size() && convert(fields_[first + count], value);) ++count;
    return count;
}

std::string Fields::about(std::string_view message) const
{
    return fmt::format("{}: [ {} ]: {}", source_->where(line_), section_, message);
}

void Fields::fail(std::string_view message) const
{
    throw InputError(about(message));
}

std::string_view Fields::text(std::size_t k, std::string_view what) const
{
    if (k >= size()) fail(fmt::format("{} is missing: the line has only {} of the fields it needs", what, size()));
    return fields_[k];
}

std::int64_t Fields::integer(std::size_t k, std::string_view what) const
{
    std::int64_t value = 0;
    if (!convert(text(k, what), value)) fail(fmt::format("{} must be an integer, not {}", what, in_quotes(fields_[k])));
    return value;
}

double Fields::real(std::size_t k, std::string_view what) const
{
    double value = 0.0;
    if (!convert(text(k, what), value) || !std::isfinite(value))
        fail(fmt::format("{} must be a number, not {} (if it is a macro, it is not #defined)", what,
                         in_quotes(fields_[k])));
    return value;
}

} // namespace holon
