#include <holon/io/gro_file.hpp>

#include <holon/core/error.hpp>
#include <holon/io/text_file.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace holon {

namespace {

constexpr std::size_t first_number_column = 20; // residue number and name, atom name and number: five columns each
constexpr double largest_length = 10000.0;      // [nm] well inside the range of the position lattice
constexpr double largest_velocity = 100000.0;   // [nm/ps] well inside the range of the velocity lattice

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The number that the whole text spells, exactly rounded; NaN for anything else.
double exact_number(std::string_view text)
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

} // namespace

/// The lines of a file through one buffer that moves over it.
class GroReader::Lines {
public:
    explicit Lines(const std::string& path) : path_(path), file_(open_input_file(path, "coordinates")), buffer_(1 << 20)
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
    /// field of a .gro file survives: an error with its line number follows.
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

GroReader::GroReader(const std::string& path) : path_(path), lines_(std::make_unique<Lines>(path))
{
    read_header();
    std::string_view line;
    for (std::int64_t i = 0; i < n_atoms_; ++i) {
        if (!lines_->next(line))
            fail("the file ends after " + std::to_string(i) + " of the " + std::to_string(n_atoms_) +
                 " atoms that line 2 announces");
        if (i == 0) read_layout(line);
    }
    if (!lines_->next(line))
        fail("the file ends before the box: line 2 announces " + std::to_string(n_atoms_) +
             " atoms, and one line with the box must follow them");
    read_box(line);

    lines_->rewind();
    lines_->next(line);
    lines_->next(line);
}

GroReader::~GroReader() = default;
GroReader::GroReader(GroReader&&) noexcept = default;
GroReader& GroReader::operator=(GroReader&&) noexcept = default;

void GroReader::fail(const std::string& why) const
{
    throw InputError(path_ + ":" + std::to_string(lines_->number()) + ": " + why);
}

void GroReader::read_header()
{
    std::string_view line;
    if (!lines_->next(line)) throw InputError(path_ + ": the file is empty; a .gro file was expected");
    title_ = printable(trimmed(line), 200);
    if (!lines_->next(line)) fail("the file ends after its title; the number of atoms was expected in line 2");
    if (!read_integer(trimmed(line), n_atoms_))
        fail("expected the number of atoms, found '" + printable(line) + "'; is this a .gro file?");
    if (n_atoms_ < 1 || n_atoms_ > std::numeric_limits<AtomId>::max())
        fail("the number of atoms is " + std::to_string(n_atoms_) + "; it must be between 1 and " +
             std::to_string(std::numeric_limits<AtomId>::max()));
}

void GroReader::read_layout(std::string_view first_atom)
{
    const auto dot = [&](std::size_t from) { return first_atom.find('.', from); };
    const std::size_t x = dot(first_number_column);
    const std::size_t y = x == std::string_view::npos ? x : dot(x + 1);
    const std::size_t z = y == std::string_view::npos ? y : dot(y + 1);
    if (z == std::string_view::npos || z - y != y - x || x >= first_number_column + (y - x))
        fail("expected an atom with three numbers of equal width from column 21 on, found '" + printable(first_atom) +
             "'");
    width_ = y - x;
    const auto last = first_atom.find_last_not_of(" \t");
    has_velocities_ = last >= first_number_column + 3 * width_;
}

void GroReader::read_box(std::string_view line)
{
    std::vector<double> numbers;
    std::string_view rest = trimmed(line);
    while (!rest.empty() && numbers.size() < 10) {
        const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
        numbers.push_back(exact_number(word));
        rest = trimmed(rest.substr(word.size()));
    }
    const bool readable = std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
    if (!readable || (numbers.size() != 3 && numbers.size() != 9))
        fail("expected the box (3 or 9 numbers) after the " + std::to_string(n_atoms_) +
             " atoms that line 2 announces, found '" + printable(line) + "'");

    numbers.resize(9, 0.0);
    box_ << numbers[0], numbers[3], numbers[4], numbers[5], numbers[1], numbers[6], numbers[7], numbers[8], numbers[2];
    if (box_.diagonal().minCoeff() <= 0.0)
        fail("the box '" + printable(line) + "' has no volume; give the periodic cell's edges in nm");
    if (box_.cwiseAbs().maxCoeff() > largest_length) fail("the box '" + printable(line) + "' is larger than 10000 nm");
    if (box_(0, 1) != 0.0 || box_(0, 2) != 0.0 || box_(1, 2) != 0.0)
        fail("the box '" + printable(line) +
             "' is not lower triangular: the first vector must lie along x, the second in the xy plane (the 4th, 5th "
             "and 7th number must be 0)");
}

double GroReader::read_number(std::string_view line, int field) const
{
    const std::size_t begin = first_number_column + static_cast<std::size_t>(field) * width_;
    const std::string_view text = begin < line.size() ? line.substr(begin, width_) : std::string_view();
    const double value = exact_number(trimmed(text));
    if (std::isfinite(value)) return value;
    static constexpr const char* names[] = {"x", "y", "z", "the velocity's x", "the velocity's y", "the velocity's z"};
    fail("expected a number for " + std::string(names[field]) + " in columns " + std::to_string(begin + 1) + " to " +
         std::to_string(begin + width_) + ", found '" + printable(text) + "'");
}

GroAtom GroReader::read_atom(std::string_view line) const
{
    if (line.size() <= first_number_column) fail("expected an atom, found '" + printable(line) + "'");
    GroAtom atom;
    atom.id = static_cast<AtomId>(n_read_);
    if (!read_integer(trimmed(line.substr(0, 5)), atom.residue_number))
        fail("expected a residue number in columns 1 to 5, found '" + printable(line.substr(0, 5)) + "'");
    atom.residue_name = trimmed(line.substr(5, 5));
    atom.atom_name = trimmed(line.substr(10, 5));

    for (int k = 0; k < 3; ++k) {
        atom.position[k] = read_number(line, k);
        if (std::abs(atom.position[k]) > largest_length) fail("the atom is more than 10000 nm from the origin");
    }
    const bool more = line.find_first_not_of(" \t", first_number_column + 3 * width_) != std::string_view::npos;
    if (more != has_velocities_)
        fail(more ? "this atom has a velocity, but the first one has none; give all atoms velocities or none"
                  : "this atom has no velocity, but the first one has; give all atoms velocities or none");
    for (int k = 0; has_velocities_ && k < 3; ++k) {
        atom.velocity[k] = read_number(line, 3 + k);
        if (std::abs(atom.velocity[k]) > largest_velocity) fail("the atom is faster than 100000 nm/ps");
    }
    return atom;
}

std::vector<GroAtom> GroReader::next(std::int64_t max_atoms)
{
    std::vector<GroAtom> atoms;
    atoms.reserve(static_cast<std::size_t>(std::min(max_atoms, n_atoms_ - n_read_)));
    std::string_view line;
    for (; n_read_ < n_atoms_ && static_cast<std::int64_t>(atoms.size()) < max_atoms; ++n_read_) {
        if (!lines_->next(line)) fail("the file became shorter while it was read");
        atoms.push_back(read_atom(line));
    }
    return atoms;
}

} // namespace holon
