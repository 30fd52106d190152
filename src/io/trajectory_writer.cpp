#include "trajectory_layout.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace holon {

namespace {

constexpr std::int64_t unknown_capacity = 1000; // frames, if nobody knows how many there will be
constexpr std::int64_t max_file_bytes = std::int64_t{1} << 43;

/// Frames to make place for.
std::int64_t capacity_for(std::int64_t frames, const TrajectoryInfo& info)
{
    const std::int64_t frame_bytes = 100 + info.atoms * 96;
    return std::clamp(frames, std::int64_t{1}, std::max(std::int64_t{1}, max_file_bytes / frame_bytes));
}

void write_reals(const RawFile& file, const std::vector<double>& values, bool as_double, std::int64_t offset)
{
    if (as_double) {
        file.write(std::as_bytes(std::span(values)), offset);
    } else {
        const std::vector<float> narrow(values.begin(), values.end());
        file.write(std::as_bytes(std::span(narrow)), offset);
    }
}

void check_match(const RawFile& file, const TrajectoryDirectory& directory, const TrajectoryInfo& info)
{
    const auto refuse = [&](const std::string& what) {
        throw InputError(fmt::format(
            "Cannot append to {}: {}. Nothing has been changed. Choose another folder with -o.", file.path(), what));
    };
    if (directory.run_id != info.run_id || directory.atoms != info.atoms) refuse("it belongs to another run");
    const auto check_field = [&](Field field, bool wanted, const char* name) {
        const bool present = directory.fields[field].frame_bytes > 0;
        if (present != wanted)
            refuse(fmt::format("it {} {}, and this run {}", present ? "has" : "has no", name,
                               wanted ? "writes them" : "does not"));
    };
    check_field(field_velocity, info.velocities, "velocities");
    check_field(field_force, info.forces, "forces");
    check_field(field_constraint_force, info.constraint_forces, "constraint forces");
    if ((directory.real_bytes == sizeof(double)) != info.double_precision) refuse("its precision is another");
}

/// Steps of the frames of a file that can be appended to.
std::vector<std::int64_t> steps_of_match(const RawFile& file, const TrajectoryDirectory& directory,
                                         const TrajectoryInfo& info)
{
    check_match(file, directory, info);
    return read_steps(file, directory, VisibleLength(file, directory).get());
}

} // namespace

struct TrajectoryWriter::Impl {
    Impl(Communicator c, std::string p, TrajectoryInfo i) : comm(std::move(c)), path(std::move(p)), info(std::move(i))
    {
    }

    void open(const std::string& name);
    void grow(std::int64_t capacity);
    template <class Value>
    void write(const Atoms& atoms, const std::vector<Field>& fields, Value value) const;
    void write_stamp(std::int64_t step, double time, const Box& box) const;
    void publish();
    std::int64_t place_of(Field field, std::int64_t frame) const
    {
        return directory.fields[field].data + frame * directory.fields[field].frame_bytes;
    }

    Communicator comm;
    std::string path;
    TrajectoryInfo info;
    TrajectoryDirectory directory{};
    RawFile file;
    VisibleLength visible; // rank 0
    std::int64_t frames = 0;
    std::int64_t last_step = OutputMarks::no_step;
    std::optional<std::int64_t> waiting; // step of a frame that lacks its constraint forces
};

/// Opens the file of `directory`, known to rank 0, on all ranks. Collective.
void TrajectoryWriter::Impl::open(const std::string& name)
{
    comm.broadcast(std::as_writable_bytes(std::span(&directory, 1)));
    on_all(comm, [&] {
        file = RawFile(name, RawFile::Mode::write);
        if (comm.root()) visible = VisibleLength(file, directory);
    });
}

/// Copies the frames into a file with more room, which then takes the place of this one. Collective.
void TrajectoryWriter::Impl::grow(std::int64_t capacity)
{
    on_root(comm, [&] {
        UnfinishedFile unfinished(path);
        const auto larger = create_trajectory_file(unfinished.name(), info, capacity);
        const RawFile target(unfinished.name(), RawFile::Mode::write);
        std::vector<std::byte> piece(1 << 22);
        for (std::size_t k = 0; k < field_count; ++k) {
            const auto bytes = frames * directory.fields[k].frame_bytes;
            for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(piece.size())) {
                const auto part =
                    std::span(piece).first(static_cast<std::size_t>(std::min<std::int64_t>(bytes - at, 1 << 22)));
                file.read(part, directory.fields[k].data + at);
                target.write(part, larger.fields[k].data + at);
            }
        }
        VisibleLength(target, larger).set(target, frames);
        unfinished.publish();
        directory = larger;
    });
    open(path);
}

/// Writes vectors of the atoms, value(field, local index), into the frame: each rank those of a range of ids.
/// Collective.
template <class Value>
void TrajectoryWriter::Impl::write(const Atoms& atoms, const std::vector<Field>& fields, Value value) const
{
    const std::int64_t width = (info.atoms + comm.size() - 1) / comm.size();
    std::vector<Message> outgoing(static_cast<std::size_t>(comm.size()));
    for (int r = 0; r < comm.size(); ++r) outgoing[static_cast<std::size_t>(r)].rank = r;
    for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i) {
        Packer packer(outgoing[static_cast<std::size_t>(atoms.id[i] / width)].data);
        packer.put(atoms.id[i]);
        for (const auto field : fields) {
            const Vec3 v = value(field, i);
            packer.put(std::array{v[0], v[1], v[2]});
        }
    }

    const auto begin = std::min(info.atoms, comm.rank() * width), end = std::min(info.atoms, begin + width);
    std::vector<std::vector<double>> values(fields.size(),
                                            std::vector<double>(static_cast<std::size_t>(3 * (end - begin))));
    std::int64_t received = 0;
    for (const auto& message : comm.exchange(std::move(outgoing)))
        for (Unpacker unpacker(message.data); !unpacker.empty(); ++received) {
            const auto at = 3 * (unpacker.get<AtomId>() - begin);
            for (auto& of_field : values)
                std::ranges::copy(unpacker.get<std::array<double, 3>>(), of_field.begin() + at);
        }
    HOLON_ASSERT(received == end - begin, fmt::format("rank {}: {} of {} atoms", comm.rank(), received, end - begin));

    on_all(comm, [&] {
        for (std::size_t k = 0; k < fields.size(); ++k) {
            const auto atom_bytes = directory.fields[fields[k]].frame_bytes / info.atoms;
            write_reals(file, values[k], atom_bytes == 3 * sizeof(double),
                        place_of(fields[k], frames) + begin * atom_bytes);
        }
    });
}

/// What is no atom's. On rank 0.
void TrajectoryWriter::Impl::write_stamp(std::int64_t step, double time, const Box& box) const
{
    std::array<double, 9> edges;
    const Mat3 vectors = box.vectors();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) edges[static_cast<std::size_t>(3 * i + j)] = vectors(i, j);
    file.write(std::as_bytes(std::span(&step, 1)), place_of(field_step, frames));
    file.write(std::as_bytes(std::span(&time, 1)), place_of(field_time, frames));
    file.write(std::as_bytes(std::span(edges)), place_of(field_edges, frames));
}

/// Makes the frame visible. Collective.
void TrajectoryWriter::Impl::publish()
{
    on_root(comm, [&] { visible.set(file, frames + 1); });
    frames += 1;
}

TrajectoryWriter::TrajectoryWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TrajectoryWriter::~TrajectoryWriter() = default;
TrajectoryWriter::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;
TrajectoryWriter& TrajectoryWriter::operator=(TrajectoryWriter&&) noexcept = default;

TrajectoryWriter TrajectoryWriter::create(const Communicator& comm, const std::string& path, const TrajectoryInfo& info)
{
    auto impl = std::make_unique<Impl>(comm, path, info);
    on_root(comm, [&] {
        UnfinishedFile unfinished(path);
        const auto capacity = capacity_for(info.frames ? info.frames : unknown_capacity, info);
        impl->directory = create_trajectory_file(unfinished.name(), info, capacity);
        unfinished.publish();
    });
    impl->open(path);
    return TrajectoryWriter(std::move(impl));
}

TrajectoryWriter TrajectoryWriter::resume(const Communicator& comm, const std::string& path, const TrajectoryInfo& info,
                                          std::int64_t step)
{
    auto impl = std::make_unique<Impl>(comm, path, info);
    std::array<std::int64_t, 2> kept{}; // frames, last step
    on_root(comm, [&] {
        const auto file = open_input(path);
        impl->directory = read_trajectory_directory(file);
        const auto steps = steps_of_match(file, impl->directory, info);
        kept[0] = std::ranges::upper_bound(steps, step) - steps.begin();
        kept[1] = kept[0] ? steps[static_cast<std::size_t>(kept[0] - 1)] : impl->last_step;
    });
    comm.broadcast(std::as_writable_bytes(std::span(kept)));
    impl->frames = kept[0];
    impl->last_step = kept[1];
    impl->open(path);
    on_root(comm, [&] { impl->visible.set(impl->file, impl->frames); });
    const auto capacity = capacity_for(impl->frames + info.frames, info);
    if (capacity > impl->directory.capacity) impl->grow(capacity);
    return TrajectoryWriter(std::move(impl));
}

void TrajectoryWriter::check_append(const std::string& path, const TrajectoryInfo& info)
{
    const auto file = open_input(path);
    steps_of_match(file, read_trajectory_directory(file), info);
}

void TrajectoryWriter::append(std::int64_t step, double time, const Atoms& atoms, const Box& box)
{
    HOLON_ASSERT(step > impl_->last_step, fmt::format("step {} after {}", step, impl_->last_step));
    if (impl_->frames == impl_->directory.capacity) impl_->grow(2 * impl_->directory.capacity);
    HOLON_ASSERT(!impl_->waiting, fmt::format("step {} lacks its constraint forces", *impl_->waiting));
    std::vector<Field> fields = {field_position};
    if (impl_->info.velocities) fields.push_back(field_velocity);
    if (impl_->info.forces) fields.push_back(field_force);
    impl_->write(atoms, fields, [&](Field field, std::size_t i) -> Vec3 {
        if (field == field_velocity) return to_real(atoms.v[i], velocity_unit);
        if (field == field_force) return to_real(atoms.f[i], force_unit);
        IVec3 x = atoms.x[i];
        box.wrap(x);
        return to_real(x, position_unit);
    });
    on_root(impl_->comm, [&] { impl_->write_stamp(step, time, box); });
    if (impl_->info.constraint_forces) {
        impl_->waiting = step;
    } else {
        impl_->publish();
        impl_->last_step = step;
    }
}

bool TrajectoryWriter::waits_for_constraint_forces() const
{
    return impl_->waiting.has_value();
}

void TrajectoryWriter::add_constraint_forces(const Atoms& atoms, std::span<const Vec3> forces)
{
    HOLON_ASSERT(impl_->waiting, "no frame waits for constraint forces");
    impl_->write(atoms, {field_constraint_force}, [&](Field, std::size_t i) { return forces[i]; });
    impl_->publish();
    impl_->last_step = *std::exchange(impl_->waiting, {});
}

bool TrajectoryWriter::has_frame(std::int64_t step) const
{
    return impl_->last_step >= step;
}

std::int64_t TrajectoryWriter::frames() const
{
    return impl_->frames;
}

std::int64_t TrajectoryWriter::last_step() const
{
    return impl_->last_step;
}

void TrajectoryWriter::finish()
{
    on_all(impl_->comm, [&] { impl_->file.sync(); });
}

} // namespace holon
