#pragma once

#include "files/raw_file.hpp"

#include <holon/core/index.hpp>
#include <holon/io/trajectory.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// How trajectory.h5md is laid out.
namespace holon {

inline constexpr std::int64_t page_bytes = 4096;

/// Datasets whose first extent is the number of frames.
enum Field : std::size_t {
    field_step,
    field_time,
    field_edges,
    field_position,
    field_velocity,
    field_force,
    field_constraint_force,
    field_own_stamps, // step, time and edges of velocities, forces and constraint forces that have their own
    field_count = field_own_stamps + 3 * (quantity_count - 1)
};

constexpr Field value_field(Quantity q)
{
    return static_cast<Field>(field_position + index(q));
}

/// A series of frames of the same steps: that of the positions, with what is written with them, or that of another
/// quantity alone. Named by the quantity.
using Series = Quantity;

/// Of step, time or edges (k = 0, 1, 2).
constexpr Field stamp_field(Series series, std::size_t k)
{
    return static_cast<Field>(series == Series::position ? k : field_own_stamps + 3 * (index(series) - 1) + k);
}

/// Which series quantities belong to; none for those that the file does not have.
using SeriesTable = PerQuantity<std::optional<Series>>;

/// One such dataset: `frame_bytes` bytes per frame from `data` on, and where its length stands in its object header
/// (and, if not negative, its largest length). A dataset that the file does not have is all zero.
struct FieldPlace {
    std::int64_t data;
    std::int64_t frame_bytes;
    std::int64_t length_at;
    std::int64_t max_length_at;
};

inline constexpr std::uint32_t trajectory_format = 2; // 1: with the series of the positions alone

/// The page that says where everything is, a dataset of its own at one of the first page boundaries.
struct TrajectoryDirectory {
    std::array<char, 8> magic;
    std::uint32_t format;
    std::uint32_t real_bytes; // of positions and velocities
    std::uint64_t checksum;   // of all that follows
    std::int64_t offset;      // of this page
    std::uint64_t run_id;
    std::int64_t atoms;
    std::int64_t capacity; // frames of the positions
    std::array<FieldPlace, field_count> fields;
    std::array<std::int64_t, quantity_count - 1> own_capacity; // of the other series
    std::array<std::byte, 3504> reserved;                      // zero, as a field that the file does not have

    SeriesTable series() const;
    const FieldPlace& stamp(Series s, std::size_t k) const { return fields[stamp_field(s, k)]; }
    std::int64_t capacity_of(Series s) const
    {
        return s == Series::position ? capacity : own_capacity.at(index(s) - 1);
    }
};
static_assert(sizeof(TrajectoryDirectory) == 4096);

/// Completes a directory with what marks and guards it.
void seal(TrajectoryDirectory& directory);

/// Makes a file without frames, with place for so many in each series. Failure, if that does not work.
TrajectoryDirectory create_trajectory_file(const std::string& path, const TrajectoryInfo& info,
                                           const SeriesTable& series, const PerQuantity<std::int64_t>& capacity);

/// The directory as it stands in the file; none, if the file is none of ours.
std::optional<TrajectoryDirectory> find_trajectory_directory(const RawFile& file);

/// Finds and checks the directory. InputError, if the file is none of ours, damaged or of a newer format.
TrajectoryDirectory read_trajectory_directory(const RawFile& file);

/// The lengths of all datasets, those of a series alike, which are changed by one write.
class VisibleLength {
public:
    VisibleLength() = default;
    VisibleLength(const RawFile& file, const TrajectoryDirectory& directory);
    const PerQuantity<std::int64_t>& get() const { return length_; } // InputError in the constructor, if they differ
    void set(const RawFile& file, const PerQuantity<std::int64_t>& frames);

private:
    struct Place {
        std::int64_t at; // in bytes_
        Series series;
    };
    std::vector<Place> places_;
    std::vector<std::byte> bytes_; // of the file from begin_ on
    std::int64_t begin_ = 0;
    PerQuantity<std::int64_t> length_{};
};

/// Steps of all frames of each series, as far as they ascend.
using SeriesSteps = PerQuantity<std::vector<std::int64_t>>;
SeriesSteps read_steps(const RawFile& file, const TrajectoryDirectory& directory,
                       const PerQuantity<std::int64_t>& frames);

/// Steps of which there is anything.
std::vector<std::int64_t> all_steps(const SeriesSteps& steps);

} // namespace holon
