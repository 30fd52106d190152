#pragma once

#include <string>
#include <string_view>

namespace holon {

/// Replaces a file as a whole: at any moment there is the old one or the new one. Failure, if that does not work.
void write_file_atomically(const std::string& path, std::string_view text);

} // namespace holon
