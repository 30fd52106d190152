#pragma once

#include <holon/io/topology_file.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holon {

/// Without blanks, tabs and line ends at both sides.
std::string_view trimmed(std::string_view text);

/// For messages: printable and in quotation marks.
std::string in_quotes(std::string_view text);

/// A data line split at blanks, with checked conversions. A word that begins with #, ! or // begins a remark. Every
/// error names file, line and section, and throws InputError.
class Fields {
public:
    /// `source` must outlive this. `section` is the name without brackets.
    Fields(const ExpandedTopology& source, std::size_t line, std::string_view section);

    std::size_t size() const { return fields_.size(); }
    std::size_t line() const { return line_; }
    std::string_view section() const { return section_; }
    std::string_view operator[](std::size_t k) const { return fields_[k]; }

    /// Field k; `what` names it in the message should it be missing or of the wrong kind.
    std::string_view text(std::size_t k, std::string_view what) const;
    std::int64_t integer(std::size_t k, std::string_view what) const;
    double real(std::size_t k, std::string_view what) const; // finite

    /// How many fields from `first` on are numbers, up to the first that is none: what follows is a remark, which
    /// grompp does not read either.
    std::size_t numbers_from(std::size_t first) const;

    /// "file:line: [ section ]: message"
    std::string about(std::string_view message) const;
    [[noreturn]] void fail(std::string_view message) const;

private:
    const ExpandedTopology* source_;
    std::size_t line_;
    std::string_view section_;
    std::vector<std::string_view> fields_;
};

} // namespace holon
