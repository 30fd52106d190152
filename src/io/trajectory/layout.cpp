#include "layout.hpp"

#include "checkpoint/checksum.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>

namespace holon {

namespace {

constexpr std::array<char, 8> magic = {'H', 'O', 'L', 'O', 'N', 'T', 'R', 'J'};
constexpr std::int64_t pages_searched = 16;

std::uint64_t checksum_of(const TrajectoryDirectory& directory)
{
    constexpr auto begin = offsetof(TrajectoryDirectory, checksum) + sizeof(std::uint64_t);
    return checksum(std::as_bytes(std::span(&directory, 1)).subspan(begin));
}

/// Calls use(place, series) for all datasets of frames that the file has.
template <class Use>
void for_each_field(const TrajectoryDirectory& directory, Use use)
{
    for (const auto s : all_quantities)
        for (std::size_t k = 0; k < 3; ++k)
            if (directory.stamp(s, k).frame_bytes > 0) use(directory.stamp(s, k), s);
    const auto series = directory.series();
    for (const auto q : all_quantities)
        if (series[q]) use(directory.fields[value_field(q)], *series[q]);
}

/// Whether numbers are such that nothing is read or written at wrong places, whoever has written them.
bool is_plausible(const TrajectoryDirectory& directory)
{
    constexpr std::int64_t most_atoms = std::numeric_limits<AtomId>::max();
    const bool counts = directory.atoms >= 1 && directory.atoms <= most_atoms &&
                        (directory.real_bytes == 4 || directory.real_bytes == 8) &&
                        std::ranges::all_of(all_quantities, [&](Series s) { return directory.capacity_of(s) >= 0; });
    if (!counts || directory.stamp(Series::position, 0).frame_bytes == 0) return false;
    // Steps and times, edges of the box, vectors of all atoms; 0: a dataset that is not there, as all three of a series
    // or none.
    for (const auto s : all_quantities) {
        const bool is_there = directory.stamp(s, 0).frame_bytes != 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& stamp = directory.stamp(s, k);
            if (stamp.data < 0 || stamp.frame_bytes != (is_there ? (k < 2 ? 8 : 72) : 0)) return false;
        }
    }
    for (const auto q : all_quantities) {
        const auto& values = directory.fields[value_field(q)];
        const auto bytes = {std::int64_t{0}, 3 * directory.atoms * directory.real_bytes, 3 * directory.atoms * 8};
        if (values.data < 0 || std::ranges::find(bytes, values.frame_bytes) == bytes.end()) return false;
    }
    return true;
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
            "{} is not a trajectory of Holon. Give the trajectory.h5md of a run's output folder.", file.path()));
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
    for_each_field(*directory, [&](const FieldPlace& field, Series series) {
        if (field.data > file.size() || directory->capacity_of(series) > (file.size() - field.data) / field.frame_bytes)
            throw InputError(fmt::format("{} is truncated: it has {} bytes. Use a complete copy of the file.",
                                         file.path(), file.size()));
    });
    return *directory;
}

SeriesTable TrajectoryDirectory::series() const
{
    SeriesTable table;
    for (const auto q : all_quantities)
        if (fields[value_field(q)].frame_bytes > 0) table[q] = stamp(q, 0).frame_bytes > 0 ? q : Series::position;
    return table;
}

VisibleLength::VisibleLength(const RawFile& file, const TrajectoryDirectory& directory)
{
    for_each_field(directory, [this](const FieldPlace& field, Series series) {
        places_.push_back({field.length_at, series});
        if (field.max_length_at >= 0) places_.push_back({field.max_length_at, series});
    });
    begin_ = std::ranges::min(places_, {}, &Place::at).at;
    constexpr auto word = static_cast<std::int64_t>(sizeof(std::int64_t));
    const auto last = std::ranges::max(places_, {}, &Place::at).at;
    // A write within a page is never left half done when a process is killed.
    if (begin_ < 0 || last > file.size() - word || begin_ / page_bytes != (last + word - 1) / page_bytes)
        throw InputError(
            fmt::format("{} is damaged: the lengths of its datasets do not lie in one page.", file.path()));
    bytes_.resize(index(last + word - begin_));
    file.read(bytes_, begin_);
    length_.fill(-1);
    for (auto& [at, series] : places_) {
        at -= begin_;
        std::int64_t length;
        std::memcpy(&length, bytes_.data() + at, sizeof length);
        if (length_[series] < 0) length_[series] = length;
        if (length != length_[series] || length < 0 || length > directory.capacity_of(series))
            throw InputError(fmt::format("{} is damaged: its datasets differ in length.", file.path()));
    }
    for (auto& length : length_) length = std::max(length, std::int64_t{0}); // of series that the file does not have
}

void VisibleLength::set(const RawFile& file, const PerQuantity<std::int64_t>& frames)
{
    for (const auto& [at, series] : places_) std::memcpy(bytes_.data() + at, &frames[series], sizeof(std::int64_t));
    file.write(bytes_, begin_);
    length_ = frames;
}

SeriesSteps read_steps(const RawFile& file, const TrajectoryDirectory& directory,
                       const PerQuantity<std::int64_t>& frames)
{
    SeriesSteps all;
    for (const auto s : all_quantities) {
        auto& steps = all[s];
        steps.resize(index(frames[s]));
        file.read(std::as_writable_bytes(std::span(steps)), directory.stamp(s, 0).data);
        const auto last = std::ranges::adjacent_find(steps, std::greater_equal{});
        if (last != steps.end())
            steps.erase(last + 1, steps.end()); // a power cut may leave a length and not the frames
    }
    return all;
}

std::vector<std::int64_t> all_steps(const SeriesSteps& steps)
{
    std::vector<std::int64_t> all;
    for (const auto& of_series : steps) {
        std::vector<std::int64_t> merged;
        std::ranges::set_union(all, of_series, std::back_inserter(merged));
        all = std::move(merged);
    }
    return all;
}

} // namespace holon
