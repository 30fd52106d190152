#include "trajectory_layout.hpp"

#include <fmt/format.h>

namespace holon {

struct TrajectoryFile::Impl {
    explicit Impl(const std::string& path)
        : file(open_input(path)), directory(read_trajectory_directory(file)),
          steps(read_steps(file, directory, VisibleLength(file, directory).get()))
    {
    }

    RawFile file;
    TrajectoryDirectory directory;
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
bool TrajectoryFile::velocities() const
{
    return impl_->directory.fields[field_velocity].frame_bytes > 0;
}
bool TrajectoryFile::forces() const
{
    return impl_->directory.fields[field_force].frame_bytes > 0;
}
bool TrajectoryFile::constraint_forces() const
{
    return impl_->directory.fields[field_constraint_force].frame_bytes > 0;
}
std::int64_t TrajectoryFile::step(std::int64_t frame) const
{
    return impl_->steps.at(static_cast<std::size_t>(frame));
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
    return impl_->file.read_value<double>(impl_->directory.fields[field_time].data + frame * 8);
}

std::vector<std::byte> TrajectoryFile::contents(std::int64_t frame) const
{
    std::vector<std::byte> bytes;
    for (const auto field : {field_edges, field_position, field_velocity, field_force, field_constraint_force}) {
        const auto& place = impl_->directory.fields[field];
        const auto begin = bytes.size();
        bytes.resize(begin + static_cast<std::size_t>(place.frame_bytes));
        impl_->file.read(std::span(bytes).subspan(begin), place.data + frame * place.frame_bytes);
    }
    return bytes;
}

} // namespace holon
