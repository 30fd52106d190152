#include "layout.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace holon {

namespace {

constexpr std::int64_t unknown_capacity = 1000; // frames, if nobody knows how many there will be
constexpr std::int64_t max_file_bytes = std::int64_t{1} << 43;

/// Frames to make place for, of one series.
std::int64_t capacity_for(std::int64_t frames, const TrajectoryInfo& info)
{
    const std::int64_t frame_bytes = 100 + info.atoms * 96;
    return std::clamp(frames, std::int64_t{1}, std::max(std::int64_t{1}, max_file_bytes / frame_bytes));
}

/// Place for what is there and what is to come.
PerQuantity<std::int64_t> capacities(const TrajectoryInfo& info, const SeriesTable& series,
                                     const PerQuantity<std::int64_t>& there)
{
    PerQuantity<std::int64_t> capacity{};
    for (const auto s : all_quantities) {
        if (series[s] != s) continue;
        const bool endless = info.last_step == std::numeric_limits<std::int64_t>::max();
        const auto more = endless ? unknown_capacity : info.schedule[s].most(info.last_step - info.first_step);
        capacity[s] = capacity_for(there[s] + std::min(more, max_file_bytes), info);
    }
    return capacity;
}

/// Of a file without frames: what is written at the steps of the positions is with them.
SeriesTable new_series(const TrajectoryInfo& info)
{
    SeriesTable series;
    for (const auto q : all_quantities)
        if (const auto& when = info.schedule[q]; !when.empty()) {
            const bool together = when.same(info.schedule[Quantity::position], info.first_step, info.last_step);
            series[q] = together ? Quantity::position : q;
        }
    return series;
}

/// Of a file with frames: what is written with the positions must have been so, and has to be so from now on.
SeriesTable continued_series(const TrajectoryInfo& info, const SeriesTable& there)
{
    auto series = new_series(info);
    for (const auto q : all_quantities)
        if (q != Quantity::position && (series[q] || there[q]) &&
            (series[q] != Quantity::position || there[q] != Quantity::position))
            series[q] = q;
    return series;
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
    if ((directory.real_bytes == sizeof(double)) != info.double_precision) refuse("its precision is another");
}

/// Steps of the frames of a file that can be appended to.
SeriesSteps steps_of_match(const RawFile& file, const TrajectoryDirectory& directory, const TrajectoryInfo& info)
{
    check_match(file, directory, info);
    return read_steps(file, directory, VisibleLength(file, directory).get());
}

} // namespace

struct TrajectoryWriter::Impl {
    Impl(Communicator c, std::string p, TrajectoryInfo i) : comm(std::move(c)), path(std::move(p)), info(std::move(i))
    {
        written.last.fill(OutputMarks::no_step);
    }

    void open(const std::string& name);
    void make_room();
    void prepare();
    void rebuild(const SeriesTable& wanted, const PerQuantity<std::int64_t>& capacity);
    void copy_frames(const TrajectoryDirectory& to, const RawFile& target) const;
    template <class Value>
    void write(const Atoms& atoms, const std::vector<Quantity>& quantities, Value value) const;
    void write_stamp(Series s, std::int64_t step, double time, const Box& box) const;
    void publish(std::int64_t step);
    bool lacks(Quantity q, std::int64_t step) const
    {
        return info.schedule[q].due(step) && series[q] && written.last[*series[q]] < step;
    }
    std::int64_t place_of(Field field, Series s) const
    {
        return directory.fields[field].data + written.frames[s] * directory.fields[field].frame_bytes;
    }

    /// What is in the file.
    struct Written {
        PerQuantity<std::int64_t> frames{}, last{}; // of each series; the step of the last frame
        std::int64_t steps = 0;                     // of which there is anything
    };

    Communicator comm;
    std::string path;
    TrajectoryInfo info;
    TrajectoryDirectory directory{};
    SeriesTable series;
    RawFile file;
    VisibleLength visible; // rank 0
    Written written;
    std::optional<std::int64_t> waiting; // step whose frames lack their constraint forces
    PerQuantity<bool> pending{};         // series with a frame that is not visible yet
};

/// Opens the file of `directory`, known to rank 0, on all ranks. Collective.
void TrajectoryWriter::Impl::open(const std::string& name)
{
    comm.broadcast(std::as_writable_bytes(std::span(&directory, 1)));
    series = directory.series();
    on_all(comm, [&] {
        file = RawFile(name, RawFile::Mode::write);
        if (comm.root()) visible = VisibleLength(file, directory);
    });
}

/// Copies the frames into a file with other series or more room, which then takes the place of this one. Collective.
void TrajectoryWriter::Impl::rebuild(const SeriesTable& wanted, const PerQuantity<std::int64_t>& capacity)
{
    auto moved = written; // a quantity leaves the series of the positions with the frames that it has there
    for (const auto q : all_quantities)
        if (wanted[q] == q && series[q] == Series::position) {
            moved.frames[q] = written.frames[Series::position];
            moved.last[q] = written.last[Series::position];
        }
    on_root(comm, [&] {
        UnfinishedFile unfinished(path);
        const auto rebuilt = create_trajectory_file(unfinished.name(), info, wanted, capacity);
        const RawFile target(unfinished.name(), RawFile::Mode::write);
        copy_frames(rebuilt, target);
        VisibleLength(target, rebuilt).set(target, moved.frames);
        unfinished.publish();
        directory = rebuilt;
    });
    written = moved;
    open(path);
}

void TrajectoryWriter::Impl::copy_frames(const TrajectoryDirectory& to, const RawFile& target) const
{
    std::vector<std::byte> piece(1 << 22);
    const auto copy = [&](Field from_field, Field to_field, std::int64_t frames) {
        const auto& from = directory.fields[from_field];
        const auto bytes = frames * from.frame_bytes;
        for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(piece.size())) {
            const auto part = std::span(piece).first(index(std::min<std::int64_t>(bytes - at, 1 << 22)));
            file.read(part, from.data + at);
            target.write(part, to.fields[to_field].data + at);
        }
    };
    const auto series_there = to.series();
    for (const auto q : all_quantities) {
        if (!series[q]) continue;
        const auto frames = written.frames[*series[q]];
        copy(value_field(q), value_field(q), frames);
        for (std::size_t k = 0; k < 3 && series_there[q] == q; ++k)
            copy(stamp_field(*series[q], k), stamp_field(q, k), frames);
    }
}

/// Doubles the place of series that are full. Collective.
void TrajectoryWriter::Impl::make_room()
{
    PerQuantity<std::int64_t> capacity;
    bool full = false;
    for (const auto s : all_quantities) {
        capacity[s] = directory.capacity_of(s);
        if (!pending[s] || written.frames[s] < capacity[s]) continue;
        capacity[s] *= 2;
        full = true;
    }
    if (full) rebuild(series, capacity);
}

/// Makes the file of an earlier start one for what is to come. Collective.
void TrajectoryWriter::Impl::prepare()
{
    const auto wanted = written.steps > 0 ? continued_series(info, series) : new_series(info);
    auto capacity = capacities(info, wanted, written.frames);
    bool fits = wanted == series;
    for (const auto s : all_quantities) {
        fits = fits && capacity[s] <= directory.capacity_of(s);
        if (wanted[s] == s && series[s] == Series::position) capacity[s] += written.frames[Series::position];
    }
    if (!fits) rebuild(wanted, capacity);
}

/// Writes vectors of the atoms, value(quantity, local index), into the frames: each rank those of a range of ids.
/// Collective.
template <class Value>
void TrajectoryWriter::Impl::write(const Atoms& atoms, const std::vector<Quantity>& quantities, Value value) const
{
    const std::int64_t width = (info.atoms + comm.size() - 1) / comm.size();
    std::vector<Message> outgoing(index(comm.size()));
    for (int r = 0; r < comm.size(); ++r) outgoing[index(r)].rank = r;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
        Packer packer(outgoing[index(atoms.id[i] / width)].data);
        packer.put(atoms.id[i]);
        for (const auto q : quantities) {
            const Vec3 v = value(q, i);
            packer.put(std::array{v[0], v[1], v[2]});
        }
    }

    const auto begin = std::min(info.atoms, comm.rank() * width), end = std::min(info.atoms, begin + width);
    std::vector<std::vector<double>> values(quantities.size(), std::vector<double>(index(3 * (end - begin))));
    std::int64_t received = 0;
    for (const auto& message : comm.exchange(std::move(outgoing)))
        for (Unpacker unpacker(message.data); !unpacker.empty(); ++received) {
            const auto at = 3 * (unpacker.get<AtomId>() - begin);
            for (auto& of_quantity : values)
                std::ranges::copy(unpacker.get<std::array<double, 3>>(), of_quantity.begin() + at);
        }
    HOLON_ASSERT(received == end - begin, fmt::format("rank {}: {} of {} atoms", comm.rank(), received, end - begin));

    on_all(comm, [&] {
        for (std::size_t k = 0; k < quantities.size(); ++k) {
            const auto field = value_field(quantities[k]);
            const auto atom_bytes = directory.fields[field].frame_bytes / info.atoms;
            write_reals(file, values[k], atom_bytes == 3 * sizeof(double),
                        place_of(field, *series[quantities[k]]) + begin * atom_bytes);
        }
    });
}

/// What is no atom's. On rank 0.
void TrajectoryWriter::Impl::write_stamp(Series s, std::int64_t step, double time, const Box& box) const
{
    std::array<double, 9> edges;
    const Mat3 vectors = box.vectors();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) edges[index(3 * i + j)] = vectors(i, j);
    file.write(std::as_bytes(std::span(&step, 1)), place_of(stamp_field(s, 0), s));
    file.write(std::as_bytes(std::span(&time, 1)), place_of(stamp_field(s, 1), s));
    file.write(std::as_bytes(std::span(edges)), place_of(stamp_field(s, 2), s));
}

/// Makes the frames of a step visible. They count as written when they are: what a checkpoint says of this file has to
/// be true after a failure, too. Collective.
void TrajectoryWriter::Impl::publish(std::int64_t step)
{
    auto more = written;
    if (std::ranges::max(written.last) < step) ++more.steps;
    for (const auto s : all_quantities)
        if (std::exchange(pending[s], false)) {
            ++more.frames[s];
            more.last[s] = step;
        }
    on_root(comm, [&] { visible.set(file, more.frames); });
    written = more;
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
        const auto series = new_series(info);
        impl->directory = create_trajectory_file(unfinished.name(), info, series, capacities(info, series, {}));
        unfinished.publish();
    });
    impl->open(path);
    return TrajectoryWriter(std::move(impl));
}

TrajectoryWriter TrajectoryWriter::resume(const Communicator& comm, const std::string& path, const TrajectoryInfo& info,
                                          std::int64_t step)
{
    auto impl = std::make_unique<Impl>(comm, path, info);
    auto& written = impl->written;
    on_root(comm, [&] {
        const auto file = open_input(path);
        impl->directory = read_trajectory_directory(file);
        auto steps = steps_of_match(file, impl->directory, info);
        for (const auto s : all_quantities) {
            steps[s].erase(std::ranges::upper_bound(steps[s], step), steps[s].end());
            written.frames[s] = static_cast<std::int64_t>(steps[s].size());
            if (!steps[s].empty()) written.last[s] = steps[s].back();
        }
        written.steps = static_cast<std::int64_t>(all_steps(steps).size());
    });
    comm.broadcast(std::as_writable_bytes(std::span(&written, 1)));
    impl->open(path);
    on_root(comm, [&] { impl->visible.set(impl->file, written.frames); });
    impl->prepare();
    return TrajectoryWriter(std::move(impl));
}

void TrajectoryWriter::check_append(const std::string& path, const TrajectoryInfo& info)
{
    const auto file = open_input(path);
    steps_of_match(file, read_trajectory_directory(file), info);
}

bool TrajectoryWriter::wants(std::int64_t step) const
{
    return std::ranges::any_of(all_quantities, [&](Quantity q) { return impl_->lacks(q, step); });
}

void TrajectoryWriter::append(std::int64_t step, double time, const Atoms& atoms, const Box& box)
{
    HOLON_ASSERT(!impl_->waiting, fmt::format("step {} lacks its constraint forces", *impl_->waiting));
    std::vector<Quantity> quantities;
    for (const auto q : all_quantities)
        if (impl_->lacks(q, step)) {
            impl_->pending[*impl_->series[q]] = true;
            if (q != Quantity::constraint_force) quantities.push_back(q);
        }
    impl_->make_room();
    impl_->write(atoms, quantities, [&](Quantity q, std::size_t i) -> Vec3 {
        if (q == Quantity::velocity) return to_real(atoms.v[i], velocity_unit);
        if (q == Quantity::force) {
            IVec3 force = atoms.f[i];
            for (const auto& further : atoms.f_further) force += further[i];
            return to_real(force, force_unit);
        }
        IVec3 x = atoms.x[i];
        box.wrap(x);
        return to_real(x, position_unit);
    });
    on_root(impl_->comm, [&] {
        for (const auto s : all_quantities)
            if (impl_->pending[s]) impl_->write_stamp(s, step, time, box);
    });
    if (impl_->lacks(Quantity::constraint_force, step))
        impl_->waiting = step;
    else
        impl_->publish(step);
}

bool TrajectoryWriter::waits_for_constraint_forces() const
{
    return impl_->waiting.has_value();
}

void TrajectoryWriter::add_constraint_forces(const Atoms& atoms, std::span<const Vec3> forces)
{
    HOLON_ASSERT(impl_->waiting, "no frame waits for constraint forces");
    impl_->write(atoms, {Quantity::constraint_force}, [&](Quantity, std::size_t i) { return forces[i]; });
    impl_->publish(*std::exchange(impl_->waiting, {}));
}

std::int64_t TrajectoryWriter::frames() const
{
    return impl_->written.steps;
}

std::int64_t TrajectoryWriter::last_step() const
{
    return std::ranges::max(impl_->written.last);
}

void TrajectoryWriter::finish()
{
    on_all(impl_->comm, [&] { impl_->file.sync(); });
}

} // namespace holon
