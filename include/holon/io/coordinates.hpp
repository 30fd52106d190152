#pragma once

#include <holon/core/vec3.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace holon {

/// One atom of a file of coordinates.
struct GroAtom {
    AtomId id = 0; // line number among the atoms, from 0; the file's own atom number wraps at 99,999 and is not used
    int residue_number = 0;
    std::string residue_name;
    std::string atom_name;
    Vec3 position = Vec3::Zero(); // [nm]
    Vec3 velocity = Vec3::Zero(); // [nm/ps]
};

/// Reads the first frame of a file of coordinates in pieces. Every malformation throws InputError with file and line.
class CoordinateReader {
public:
    virtual ~CoordinateReader() = default;

    const std::string& title() const { return title_; }
    std::int64_t n_atoms() const { return n_atoms_; }
    const Mat3& box() const { return box_; }                // rows a, b, c [nm]
    bool has_velocities() const { return has_velocities_; } // of one atom at least; the others have none: zero
    std::int64_t n_without_velocity() const { return n_without_velocity_; } // if others have one

    /// The next atoms, at most `max_atoms`; empty after the last one.
    virtual std::vector<GroAtom> next(std::int64_t max_atoms) = 0;

protected:
    explicit CoordinateReader(std::string path) : path_(std::move(path)) {}
    CoordinateReader(CoordinateReader&&) noexcept = default;
    CoordinateReader& operator=(CoordinateReader&&) noexcept = default;

    [[noreturn]] void fail_at(std::int64_t line, const std::string& why) const;

    std::string path_;
    std::string title_;
    std::int64_t n_atoms_ = 0;
    Mat3 box_ = Mat3::Zero();
    bool has_velocities_ = false;
    std::int64_t n_without_velocity_ = 0;
};

/// The reader for what the name of the file ends with: .pdb or .ent, .cif, .g96; anything else is taken for .gro.
std::unique_ptr<CoordinateReader> open_coordinates(const std::string& path);

} // namespace holon
