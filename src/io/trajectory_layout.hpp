#pragma once

#include "raw_file.hpp"

#include <holon/io/trajectory.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// How trajectory.h5 is laid out.
namespace holon {

/// Datasets whose first extent is the number of frames.
enum Field : std::size_t {
    field_step,
    field_time,
    field_edges,
    field_position,
    field_velocity,
    field_force,
    field_constraint_force,
    field_count
};

/// One such dataset: `frame_bytes` bytes per frame from `data` on, and where its length stands in its object header
/// (and, if not negative, its largest length). A dataset that the file does not have is all zero.
struct FieldPlace {
    std::int64_t data;
    std::int64_t frame_bytes;
    std::int64_t length_at;
    std::int64_t max_length_at;
};

inline constexpr std::uint32_t trajectory_format = 1;

/// The page that says where everything is, a dataset of its own at one of the first page boundaries.
struct TrajectoryDirectory {
    std::array<char, 8> magic;
    std::uint32_t format;
    std::uint32_t real_bytes; // of positions and velocities
    std::uint64_t checksum;   // of all that follows
    std::int64_t offset;      // of this page
    std::uint64_t run_id;
    std::int64_t atoms;
    std::int64_t capacity; // frames
    std::array<FieldPlace, field_count> fields;
    std::array<std::byte, 3816> reserved; // zero, as a field that the file does not have
};
static_assert(sizeof(TrajectoryDirectory) == 4096);

/// Completes a directory with what marks and guards it.
void seal(TrajectoryDirectory& directory);

/// Makes a file without frames. Failure, if that does not work.
TrajectoryDirectory create_trajectory_file(const std::string& path, const TrajectoryInfo& info, std::int64_t capacity);

/// The directory as it stands in the file; none, if the file is none of ours.
std::optional<TrajectoryDirectory> find_trajectory_directory(const RawFile& file);

/// Finds and checks the directory. InputError, if the file is none of ours, damaged or of a newer format.
TrajectoryDirectory read_trajectory_directory(const RawFile& file);

/// The lengths of all datasets, which are changed by one write.
class VisibleLength {
public:
    VisibleLength() = default;
    VisibleLength(const RawFile& file, const TrajectoryDirectory& directory);
    std::int64_t get() const { return length_; } // InputError in the constructor, if the datasets' differ
    void set(const RawFile& file, std::int64_t frames);

private:
    std::vector<std::int64_t> places_; // in bytes_
    std::vector<std::byte> bytes_;     // of the file from begin_ on
    std::int64_t begin_ = 0, length_ = 0;
};

/// Steps of the first `frames` frames, as far as they ascend.
std::vector<std::int64_t> read_steps(const RawFile& file, const TrajectoryDirectory& directory, std::int64_t frames);

} // namespace holon
