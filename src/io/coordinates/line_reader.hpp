#pragma once

#include <holon/core/error.hpp>
#include <holon/core/vec3.hpp>
#include <holon/io/text_file.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What readers of coordinates have in common.
namespace holon {

inline constexpr double largest_length = 10000.0;    // [nm] well inside the range of the position lattice
inline constexpr double largest_velocity = 100000.0; // [nm/ps] well inside the range of the velocity lattice

inline std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The number that the whole text spells, exactly rounded; NaN for anything else.
inline double exact_number(std::string_view text)
{
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
    return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

template <class Integer>
bool read_integer(std::string_view text, Integer& value)
{
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

inline constexpr const char* too_far = "the atom is more than 10000 nm from the origin";
inline constexpr const char* too_fast = "the atom is faster than 100000 nm/ps";

/// The words of a line.
std::vector<std::string_view> words_of(std::string_view line);

/// Three or nine numbers, x y z of the diagonal first, as rows a, b, c [nm]. Throws InputError with half a sentence for
/// boxes that can not be.
Mat3 box_of_numbers(std::span<const double> numbers);

/// The same of a unit cell: lengths [nm] and angles [degrees], a along x and b in the xy plane.
Mat3 box_of_cell(const std::array<double, 3>& lengths, const std::array<double, 3>& angles);

/// The lines of a file through one buffer that moves over it.
class LineReader {
public:
    explicit LineReader(const std::string& path)
        : path_(path), file_(open_input_file(path, "coordinates")), buffer_(1 << 20)
    {
    }

    /// The next line without its end; false at the end of the file. Valid until the next call.
    bool next(std::string_view& line)
    {
        const char* end = find_end();
        if (end == nullptr && begin_ == end_) return false;
        const std::size_t size = end != nullptr ? static_cast<std::size_t>(end - data(begin_)) : end_ - begin_;
        line = {data(begin_), size};
        begin_ += size + (end != nullptr ? 1 : 0);
        if (line.ends_with('\r')) line.remove_suffix(1);
        ++number_;
        return true;
    }

    std::int64_t number() const { return number_; } // of the line last returned, from 1

    void rewind()
    {
        std::rewind(file_.get());
        begin_ = end_ = 0;
        number_ = 0;
    }

private:
    char* data(std::size_t offset) { return buffer_.data() + offset; }

    const char* find_end()
    {
        for (std::size_t searched = begin_;;) {
            if (const void* found = std::memchr(data(searched), '\n', end_ - searched))
                return static_cast<const char*>(found);
            searched = end_ - begin_;
            if (!refill()) return nullptr;
        }
    }

    /// Moves what is left to the front and reads on. A line longer than the buffer comes back in pieces, which no
    /// field of a coordinate file survives: an error with its line number follows.
    bool refill()
    {
        std::copy(data(begin_), data(end_), data(0));
        end_ -= begin_;
        begin_ = 0;
        const std::size_t got = std::fread(data(end_), 1, buffer_.size() - end_, file_.get());
        if (got == 0 && std::ferror(file_.get()) != 0)
            throw InputError(path_ + ": cannot read the coordinates: " + std::strerror(errno));
        end_ += got;
        return got > 0;
    }

    std::string path_;
    InputFile file_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::int64_t number_ = 0;
};

} // namespace holon
