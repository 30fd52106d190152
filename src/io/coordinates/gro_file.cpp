#include <holon/io/gro_file.hpp>

#include <holon/core/error.hpp>
#include <holon/io/text_file.hpp>

#include "line_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace holon {

namespace {

constexpr std::size_t first_number_column = 20; // residue number and name, atom name and number: five columns each
} // namespace

GroReader::GroReader(const std::string& path) : CoordinateReader(path), lines_(std::make_unique<LineReader>(path))
{
    read_header();
    std::string_view line;
    std::int64_t n_with_velocity = 0;
    for (std::int64_t i = 0; i < n_atoms_; ++i) {
        if (!lines_->next(line))
            fail("the file ends after " + std::to_string(i) + " of the " + std::to_string(n_atoms_) +
                 " atoms that line 2 announces");
        if (i == 0) read_layout(line);
        n_with_velocity += with_velocity(line) ? 1 : 0;
    }
    has_velocities_ = n_with_velocity > 0;
    if (has_velocities_) n_without_velocity_ = n_atoms_ - n_with_velocity;
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
    fail_at(lines_->number(), why);
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
}

/// What begins with a # or a ; is a remark.
bool GroReader::with_velocity(std::string_view line) const
{
    const auto first = line.find_first_not_of(" \t", first_number_column + 3 * width_);
    return first != std::string_view::npos && line[first] != '#' && line[first] != ';';
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

    try {
        box_ = box_of_numbers(numbers);
    } catch (const InputError& error) {
        fail("the box '" + printable(line) + "' " + error.what());
    }
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
        if (std::abs(atom.position[k]) > largest_length) fail(too_far);
    }
    if (!with_velocity(line)) return atom;
    for (int k = 0; k < 3; ++k) {
        atom.velocity[k] = read_number(line, 3 + k);
        if (std::abs(atom.velocity[k]) > largest_velocity) fail(too_fast);
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
