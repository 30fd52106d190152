#include "layout.hpp"

#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace holon {

struct TrajectoryFile::Impl {
    explicit Impl(const std::string& path)
        : file(open_input(path)), directory(read_trajectory_directory(file)), series(directory.series()),
          steps_of(read_steps(file, directory, VisibleLength(file, directory).get())), steps(all_steps(steps_of))
    {
    }

    /// Which frame of a series is of this step, if any.
    std::optional<std::int64_t> find(Series s, std::int64_t step) const
    {
        const auto& of_series = steps_of[s];
        const auto found = std::ranges::lower_bound(of_series, step);
        if (found == of_series.end() || *found != step) return {};
        return found - of_series.begin();
    }

    /// The first series that has the step, and its frame there.
    std::pair<Series, std::int64_t> first_with(std::int64_t step) const
    {
        for (const auto s : all_quantities)
            if (const auto frame = find(s, step)) return {s, *frame};
        throw std::out_of_range(std::to_string(step));
    }

    RawFile file;
    TrajectoryDirectory directory;
    SeriesTable series;
    SeriesSteps steps_of;
    std::vector<std::int64_t> steps;
};

TrajectoryFile::TrajectoryFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
TrajectoryFile::~TrajectoryFile() = default;

bool TrajectoryFile::recognises(const std::string& path)
{
    return find_trajectory_directory(open_input(path)).has_value();
}

std::int64_t TrajectoryFile::atoms() const
{
    return impl_->directory.atoms;
}
std::int64_t TrajectoryFile::frames() const
{
    return static_cast<std::int64_t>(impl_->steps.size());
}
bool TrajectoryFile::has(Quantity quantity) const
{
    return impl_->series[quantity].has_value();
}
std::int64_t TrajectoryFile::frames(Quantity quantity) const
{
    const auto series = impl_->series[quantity];
    return series ? static_cast<std::int64_t>(impl_->steps_of[*series].size()) : 0;
}
std::int64_t TrajectoryFile::step(std::int64_t frame) const
{
    return impl_->steps.at(index(frame));
}

std::string TrajectoryFile::mismatch(std::uint64_t run_id, const OutputMarks& marks) const
{
    if (impl_->directory.run_id != run_id) return fmt::format("{} belongs to another run", impl_->file.path());
    if (frames() < marks.frames)
        return fmt::format("{} has {} frames, and {} had been written", impl_->file.path(), frames(), marks.frames);
    if (marks.frames > 0 && step(marks.frames - 1) != marks.last_frame)
        return fmt::format("frame {} of {} is of step {}, not {}", marks.frames, impl_->file.path(),
                           step(marks.frames - 1), marks.last_frame);
    return {};
}

double TrajectoryFile::time(std::int64_t frame) const
{
    const auto [series, k] = impl_->first_with(step(frame));
    return impl_->file.read_value<double>(impl_->directory.stamp(series, 1).data + k * 8);
}

std::vector<std::byte> TrajectoryFile::contents(std::int64_t frame) const
{
    std::vector<std::byte> bytes;
    const auto add = [&](const FieldPlace& place, std::int64_t k) {
        const auto begin = bytes.size();
        bytes.resize(begin + index(place.frame_bytes));
        impl_->file.read(std::span(bytes).subspan(begin), place.data + k * place.frame_bytes);
    };
    const auto [series, k] = impl_->first_with(step(frame));
    add(impl_->directory.stamp(series, 2), k);
    for (const auto q : all_quantities)
        if (const auto of = impl_->series[q])
            if (const auto at = impl_->find(*of, step(frame))) add(impl_->directory.fields[value_field(q)], *at);
    return bytes;
}

} // namespace holon
