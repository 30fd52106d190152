#include "trajectory_layout.hpp"

#include "checksum.hpp"

#include <holon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace holon {

namespace {

constexpr std::array<char, 8> magic = {'H', 'O', 'L', 'O', 'N', 'T', 'R', 'J'};
constexpr std::int64_t page_bytes = 4096, pages_searched = 16;

std::uint64_t checksum_of(const TrajectoryDirectory& directory)
{
    constexpr auto begin = offsetof(TrajectoryDirectory, checksum) + sizeof(std::uint64_t);
    return checksum(std::as_bytes(std::span(&directory, 1)).subspan(begin));
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
    for (const auto& field : directory->fields)
        if (field.data + directory->capacity * field.frame_bytes > file.size())
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
    const auto end = std::ranges::max(at) + static_cast<std::int64_t>(sizeof(std::int64_t));
    // A write within a page is never left half done when a process is killed.
    HOLON_ASSERT(begin_ / page_bytes == (end - 1) / page_bytes, fmt::format("bytes {} to {}", begin_, end));
    bytes_.resize(static_cast<std::size_t>(end - begin_));
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
