#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace holon {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using InputFile = std::unique_ptr<std::FILE, CloseFile>;

/// Opens a regular file for reading. `what` names its content in messages ("coordinates").
/// Throws InputError for a file that is missing, unreadable or not a regular file.
InputFile open_input_file(const std::string& path, std::string_view what);

/// The whole content of a text file. Throws InputError as open_input_file, and for a file with NUL bytes.
std::string read_text_file(const std::string& path, std::string_view what);

/// The first characters of user input as they may stand in a message: control characters as '?'.
std::string printable(std::string_view text, std::size_t longest = 60);

} // namespace holon
