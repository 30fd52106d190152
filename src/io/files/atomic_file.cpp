#include <holon/io/atomic_file.hpp>

#include "raw_file.hpp"

namespace holon {

void write_file_atomically(const std::string& path, std::string_view text)
{
    UnfinishedFile file(path);
    RawFile(file.name(), RawFile::Mode::create).write(std::as_bytes(std::span(text)), 0);
    file.publish();
}

} // namespace holon
