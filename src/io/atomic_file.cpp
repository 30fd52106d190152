#include <holon/io/atomic_file.hpp>

#include "raw_file.hpp"

namespace holon {

void write_file_atomically(const std::string& path, std::string_view text)
{
    const auto temporary = temporary_name(path);
    RawFile(temporary, RawFile::Mode::create).write(std::as_bytes(std::span(text)), 0);
    publish_file(temporary, path);
}

} // namespace holon
