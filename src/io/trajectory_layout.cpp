#include "trajectory_layout.hpp"

#include "checksum.hpp"

#include <holon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

namespace holon {

namespace {

constexpr std::array<char, 8> magic = {'H', 'O', 'L', 'O', 'N', 'T', 'R', 'J'};
constexpr std::int64_t page_bytes = 4096, pages_searched = 16;

std::uint64_t checksum_of(const TrajectoryDirectory& directory)
{
    constexpr auto begin = offsetof(TrajectoryDirectory, checksum) + sizeof(std::uint64_t);
    return checksum(std::as_bytes(std::span(&directory, 1)).subspan(begin));
}

/// Whether numbers are such that nothing is read or written at wrong places, whoever has written them.
bool is_plausible(const TrajectoryDirectory& directory)
{
    constexpr std::int64_t most_atoms = std::numeric_limits<AtomId>::max();
    const auto& fields = directory.fields;
    const bool counts = directory.atoms >= 1 && directory.atoms <= most_atoms && directory.capacity >= 0 &&
                        (directory.real_bytes == 4 || directory.real_bytes == 8);
    if (!counts) return false;
    // Steps and times, edges of the box, vectors of all atoms; 0: a dataset that is not there.
    const std::array<std::int64_t, 5> sizes = {0, 8, 72, 3 * directory.atoms * directory.real_bytes,
                                               3 * directory.atoms * 8};
    return fields[field_step].frame_bytes == 8 && fields[field_time].frame_bytes == 8 &&
           std::ranges::all_of(fields, [&sizes](const FieldPlace& field) {
               return field.data >= 0 && std::ranges::find(sizes, field.frame_bytes) != sizes.end();
           });
}

} // namespace

void seal(TrajectoryDirectory& directory)
{
    directory.magic = magic;
    directory.format = trajectory_format;
    directory.checksum = checksum_of(directory);
}

std::optional<TrajectoryDirectory> find_trajectory_directory(const RawFile& file)
{
    const auto size = file.size();
    for (std::int64_t page = 1; page <= pages_searched && (page + 1) * page_bytes <= size; ++page)
        if (const auto directory = file.read_value<TrajectoryDirectory>(page * page_bytes); directory.magic == magic)
            return directory;
    return {};
}

TrajectoryDirectory read_trajectory_directory(const RawFile& file)
{
    const auto directory = find_trajectory_directory(file);
    if (!directory)
        throw InputError(fmt::format(
            "{} is not a trajectory of Holon. Give the trajectory.h5 of a run's output folder.", file.path()));
    if (directory->format > trajectory_format)
        throw InputError(
            fmt::format("{} has format {}, which is newer than this program's ({}). Use the program that wrote it, or "
                        "a newer one.",
                        file.path(), directory->format, trajectory_format));
    if (directory->checksum != checksum_of(*directory))
        throw InputError(fmt::format(
            "{} is damaged: its directory does not match its checksum. Use a copy of the file.", file.path()));
    if (!is_plausible(*directory))
        throw InputError(fmt::format("{} is no trajectory that Holon has written: its directory has impossible "
                                     "numbers, though its checksum is right. Use a copy of the file.",
                                     file.path()));
    const auto ends_beyond = [capacity = directory->capacity, size = file.size()](const FieldPlace& field) {
        return field.data > size || (field.frame_bytes > 0 && capacity > (size - field.data) / field.frame_bytes);
    };
    for (const auto& field : directory->fields)
        if (ends_beyond(field))
            throw InputError(fmt::format("{} is truncated: it has {} bytes. Use a complete copy of the file.",
                                         file.path(), file.size()));
    return *directory;
}

VisibleLength::VisibleLength(const RawFile& file, const TrajectoryDirectory& directory)
{
    std::vector<std::int64_t> at;
    for (const auto& field : directory.fields) {
        if (field.frame_bytes == 0) continue;
        at.push_back(field.length_at);
        if (field.max_length_at >= 0) at.push_back(field.max_length_at);
    }
    begin_ = std::ranges::min(at);
    constexpr auto word = static_cast<std::int64_t>(sizeof(std::int64_t));
    const auto last = std::ranges::max(at);
    // A write within a page is never left half done when a process is killed.
    if (begin_ < 0 || last > file.size() - word || begin_ / page_bytes != (last + word - 1) / page_bytes)
        throw InputError(
            fmt::format("{} is damaged: the lengths of its datasets do not lie in one page.", file.path()));
    bytes_.resize(static_cast<std::size_t>(last + word - begin_));
    file.read(bytes_, begin_);
    for (const auto offset : at) {
        places_.push_back(offset - begin_);
        std::int64_t length;
        std::memcpy(&length, bytes_.data() + places_.back(), sizeof length);
        if (places_.size() == 1) length_ = length;
        if (length != length_ || length < 0 || length > directory.capacity)
            throw InputError(fmt::format("{} is damaged: its datasets differ in length.", file.path()));
    }
}

void VisibleLength::set(const RawFile& file, std::int64_t frames)
{
    for (const auto place : places_) std::memcpy(bytes_.data() + place, &frames, sizeof frames);
    file.write(bytes_, begin_);
    length_ = frames;
}

std::vector<std::int64_t> read_steps(const RawFile& file, const TrajectoryDirectory& directory, std::int64_t frames)
{
    std::vector<std::int64_t> steps(static_cast<std::size_t>(frames));
    file.read(std::as_writable_bytes(std::span(steps)), directory.fields[field_step].data);
    const auto last = std::ranges::adjacent_find(steps, std::greater_equal{});
    if (last != steps.end()) steps.erase(last + 1, steps.end()); // a power cut may leave a length and not the frames
    return steps;
}

} // namespace holon
