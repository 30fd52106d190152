#include <holon/core/error.hpp>
#include <holon/io/gro_file.hpp>

#include "files/raw_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <unistd.h>

namespace holon {

namespace {

constexpr std::size_t width = 20;
constexpr int decimals = 15;
constexpr std::size_t flush_size = 1 << 16;

/// The value right-aligned in its column, with fewer decimals where it would not fit.
void append_number(std::string& text, double value)
{
    std::array<char, 400> digits; // the longest double has 309 digits before the point
    char* const end = digits.data() + digits.size();
    std::size_t size = 0;
    for (int places = decimals; places >= 0; --places) {
        const auto result = std::to_chars(digits.data(), end, value, std::chars_format::fixed, places);
        size = static_cast<std::size_t>(result.ptr - digits.data());
        if (size <= width) break;
    }
    text.append(width - std::min(width, size), ' ');
    text.append(digits.data(), size);
}

void append_integer(std::string& text, std::int64_t value)
{
    const std::string digits = std::to_string(value % 100000);
    text.append(5 - digits.size(), ' ');
    text += digits;
}

} // namespace

GroWriter::GroWriter(std::string path, const std::string& title, std::int64_t n_atoms, bool with_velocities)
    : path_(std::move(path)), temporary_(UnfinishedFile::temporary_name(path_)),
      file_(std::fopen(temporary_.c_str(), "wb")), n_atoms_(n_atoms), with_velocities_(with_velocities)
{
    if (file_ == nullptr) fail("cannot be created");
    buffer_ = title + "\n" + std::to_string(n_atoms) + "\n";
}

GroWriter::~GroWriter()
{
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(temporary_.c_str());
}

void GroWriter::fail(const std::string& what) const
{
    throw Failure(temporary_ + ": " + what + ": " + std::strerror(errno));
}

void GroWriter::flush()
{
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail("writing failed");
    buffer_.clear();
}

void GroWriter::write(std::span<const GroAtom> atoms)
{
    for (const GroAtom& atom : atoms) {
        HOLON_ASSERT(atom.id == n_written_, std::to_string(atom.id) + " after " + std::to_string(n_written_));
        append_integer(buffer_, atom.residue_number);
        std::string name = atom.residue_name;
        name.resize(5, ' ');
        buffer_ += name;
        name = atom.atom_name.substr(0, 5);
        buffer_.append(5 - name.size(), ' ');
        buffer_ += name;
        append_integer(buffer_, std::int64_t{atom.id} + 1);
        for (int k = 0; k < 3; ++k) append_number(buffer_, atom.position[k]);
        for (int k = 0; with_velocities_ && k < 3; ++k) append_number(buffer_, atom.velocity[k]);
        buffer_ += '\n';
        ++n_written_;
        if (buffer_.size() > flush_size) flush();
    }
}

void GroWriter::finish(const Mat3& box)
{
    HOLON_ASSERT(n_written_ == n_atoms_, std::to_string(n_written_) + " of " + std::to_string(n_atoms_) + " atoms");
    const bool cuboid = box(1, 0) == 0.0 && box(2, 0) == 0.0 && box(2, 1) == 0.0;
    const std::array<double, 9> numbers = {box(0, 0), box(1, 1), box(2, 2), box(0, 1), box(0, 2),
                                           box(1, 0), box(1, 2), box(2, 0), box(2, 1)};
    for (std::size_t k = 0; k < (cuboid ? 3u : 9u); ++k) {
        std::array<char, 400> digits;
        const auto result =
            std::to_chars(digits.data(), digits.data() + digits.size(), numbers[k], std::chars_format::fixed);
        buffer_ += ' ';
        buffer_.append(digits.data(), result.ptr);
        if (std::find(digits.data(), result.ptr, '.') == result.ptr) buffer_ += ".0";
    }
    buffer_ += '\n';
    flush();
    // On disk before the name is: a file of that name is whole even after a power cut.
    if (std::fflush(file_) != 0 || ::fdatasync(fileno(file_)) != 0) fail("writing failed");
    std::FILE* const file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) fail("closing failed");
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("renaming to " + path_ + " failed");
}

} // namespace holon
