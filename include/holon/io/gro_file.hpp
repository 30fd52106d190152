#pragma once

#include <holon/io/coordinates.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holon {

class LineReader;

/// Reads the first frame of a GROMACS .gro file in pieces: a file of any size is never held whole.
/// The width of the number columns is the distance between the decimal points of the first atom; the precision is what
/// the file gives, digit by digit. Every malformation throws InputError with file and line.
class GroReader : public CoordinateReader {
public:
    /// Scans the file once for the number of atoms and the box behind them.
    explicit GroReader(const std::string& path);
    ~GroReader() override;
    GroReader(GroReader&&) noexcept;
    GroReader& operator=(GroReader&&) noexcept;

    std::vector<GroAtom> next(std::int64_t max_atoms) override;

private:
    void read_header();
    void read_layout(std::string_view first_atom);
    bool with_velocity(std::string_view line) const;
    void read_box(std::string_view line);
    GroAtom read_atom(std::string_view line) const;
    double read_number(std::string_view line, int field) const;
    [[noreturn]] void fail(const std::string& why) const;

    std::unique_ptr<LineReader> lines_;
    std::int64_t n_read_ = 0;
    std::size_t width_ = 0; // of one number column
};

/// Writes a .gro file atom by atom under a temporary name and renames it when it is complete. Numbers have 15 decimals
/// in columns of 20, which readers of any precision accept: positions on the 2^-48 nm lattice and velocities on the
/// 2^-44 nm/ps lattice come back bit for bit.
/// Throws Failure when the file cannot be written.
class GroWriter {
public:
    GroWriter(std::string path, const std::string& title, std::int64_t n_atoms, bool with_velocities);
    ~GroWriter(); // removes the temporary file unless finish() was called
    GroWriter(const GroWriter&) = delete;
    GroWriter& operator=(const GroWriter&) = delete;

    /// Appends atoms, which must come in the order of their ids.
    void write(std::span<const GroAtom> atoms);

    /// Appends the box (rows a, b, c [nm]), closes and renames. All n_atoms must have been written.
    void finish(const Mat3& box);

private:
    void flush();
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    std::string temporary_;
    std::FILE* file_ = nullptr;
    std::string buffer_;
    std::int64_t n_atoms_ = 0;
    std::int64_t n_written_ = 0;
    bool with_velocities_ = false;
};

} // namespace holon
