#include "layout.hpp"
#include "slot_writer.hpp"
#include "worker.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/cpu_time.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace holon {

namespace {

using Clock = std::chrono::steady_clock;

/// A copy of what is written of a state.
struct Buffer {
    std::vector<IVec3> positions, velocities;
    std::vector<KeptNumber> kept;
    std::vector<StateValue> more;

    CheckpointRows rows() const { return {positions, velocities, kept, {}}; }
};

void copy(std::span<const IVec3> from, std::vector<IVec3>& to)
{
    to.resize(from.size());
    std::ranges::copy(std::as_bytes(from), std::as_writable_bytes(std::span(to)).begin()); // one memmove
}

double seconds_since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

struct CheckpointWriter::Impl {
    Impl(Communicator c, CheckpointOptions o, CheckpointWay way, RawFile f, const CheckpointDirectory& d,
         std::uint64_t id)
        : comm(std::move(c)), options(std::move(o)), directory(d), writer_id(id), at_once(way.at_once),
          slots(comm, std::move(f), directory, way), helper(way.at_once ? Worker::Way::at_once : Worker::Way::thread)
    {
    }

    /// Collective.
    static std::unique_ptr<Impl> make(const Communicator& comm, const CheckpointOptions& options, CheckpointWay way,
                                      RawFile file, const CheckpointDirectory& directory)
    {
        const auto id = new_run_id(comm);
        std::unique_ptr<Impl> impl;
        on_all(comm, [&] { impl = std::make_unique<Impl>(comm, options, way, std::move(file), directory, id); });
        return impl;
    }

    double cpu_of_threads() const { return helper.cpu_seconds() + syncer.cpu_seconds(); }
    int take(int& next, int count) const { return std::exchange(next, (next + 1) % count); }
    CheckpointRows pack(const Atoms& atoms, bool lent, Buffer& buffer) const;
    void wait_for_helper();
    void sync(std::optional<int> slot) const;
    void confirm();
    void check_in_place();

    Communicator comm;
    CheckpointOptions options;
    CheckpointDirectory directory;
    std::uint64_t writer_id;
    std::uint64_t boot = boot_of_machine();
    bool at_once;
    SlotWriter slots; // of the helper while it is busy
    int next_ring = 0, next_synced = 0;
    std::int64_t sequence = 0; // of the last state
    std::int64_t first_kept = 0;
    std::size_t n_owned = 0, n_kept = 0;
    std::array<Buffer, 2> buffers; // one is filled while the other is written
    bool lent = false;             // the helper reads the atoms themselves
    /// What becomes of a state that is to be synced; on to the next when all ranks have done with it.
    enum class Sync : std::uint8_t { none, due, writing, syncing, confirming } sync_phase = Sync::none;
    std::int64_t sync_sequence = 0; // of this state
    int sync_slot = 0;              // where it is
    CommitRecord sync_record{};     // when it has been written
    std::size_t current = 0;
    CommitRecord record{}; // of the last state; of the helper while it is busy
    int last_slot = -1;    // where that state is
    bool all_on_disk = false;
    CheckpointStats stats;
    double helper_cpu_before = 0.0; // what its threads have used before they were counted [s]
    Clock::time_point last_sync = Clock::now(), last_look = Clock::now();
    Worker syncer, helper; // destroyed first
};

CheckpointRows CheckpointWriter::Impl::pack(const Atoms& atoms, bool lent_atoms, Buffer& buffer) const
{
    HOLON_ASSERT(index(atoms.n_owned) == n_owned && atoms.kept.size() == n_kept,
                 fmt::format("{} atoms owned, {} at repartition", atoms.n_owned, n_owned));
    buffer.kept.clear();
    for (std::size_t i = 0; n_kept > 0 && i < n_owned; ++i)
        for_each_kept(atoms, i, [&](const KeptNumber& number) {
            if (number.value != 0.0) buffer.kept.push_back(number);
        });
    const auto x = std::span(atoms.x).first(n_owned), v = std::span(atoms.v).first(n_owned);
    if (lent_atoms || at_once) return {x, v, buffer.kept, {}};
    copy(x, buffer.positions);
    copy(v, buffer.velocities);
    return buffer.rows();
}

void CheckpointWriter::Impl::wait_for_helper()
{
    const auto begin = Clock::now();
    helper.wait();
    stats.blocked_s += seconds_since(begin);
}

/// A slot, or all of the file: the others change at every step, and writing them to disk, too, would be several times
/// as much. First what the states rely on, so that a state that is found after a power cut can be gone on from.
void CheckpointWriter::Impl::sync(std::optional<int> slot) const
{
    for (const auto& path : options.sync_also)
        if (file_exists(path)) RawFile(path, RawFile::Mode::read).sync();
    if (!slot) return slots.file().sync();
    for (const auto& part : directory.parts(*slot)) slots.file().sync(part.begin, part.size);
}

/// All that the state relies on is on disk, on all nodes.
void CheckpointWriter::Impl::confirm()
{
    sync_record.boot = 0;
    slots.write_record(sync_slot, sync_record);
    slots.file().sync(directory.slots[index(sync_slot)].records, page_bytes);
}

/// Writing goes on without error into a file that has no name any more. Once a second, when a state is written.
void CheckpointWriter::Impl::check_in_place()
{
    if (seconds_since(last_look) < 1.0) return;
    slots.file().check_in_place();
    last_look = Clock::now();
}

CheckpointWriter::CheckpointWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CheckpointWriter::~CheckpointWriter() = default;
CheckpointWriter::CheckpointWriter(CheckpointWriter&&) noexcept = default;
CheckpointWriter& CheckpointWriter::operator=(CheckpointWriter&&) noexcept = default;

CheckpointWriter CheckpointWriter::create(const Communicator& comm, const std::string& path, const New& file_of,
                                          const RunState& state, const Atoms& atoms, const Box& box)
{
    const auto& input = file_of.input;
    const auto& options = file_of.options;
    std::optional<UnfinishedFile> unfinished;
    if (comm.root()) unfinished.emplace(path);
    const std::string temporary = UnfinishedFile::temporary_name(path);
    CheckpointDirectory directory{};
    const auto kept = comm.sum(static_cast<std::int64_t>(atoms.kept.size()));
    const auto way = CheckpointWay::choose(comm, path, options.mapping);
    on_root(comm, [&] {
        directory = create_checkpoint_file(temporary, input, {kept, count_values(state)}, options.slots, comm.size());
    });
    comm.broadcast(std::as_writable_bytes(std::span(&directory, 1)));
    RawFile file;
    on_all(comm, [&] { file = RawFile(temporary, RawFile::Mode::write); });

    CheckpointWriter writer(Impl::make(comm, options, way, std::move(file), directory));
    writer.repartition(atoms);
    on_all(comm, [&] { writer.impl_->slots.fill(std::span(atoms.x).first(writer.impl_->n_owned)); });
    writer.agree(options.sync_seconds > 0.0 ? std::uint64_t{checkpoint_sync_due} : 0);
    writer.submit(state, atoms, box);
    on_all(comm, [&] {
        writer.finish();
        if (const auto error = writer.error(); !error.empty()) throw Failure(error);
    });
    on_root(comm, [&] { unfinished->publish(); });
    writer.impl_->slots.file().renamed_to(path);
    return writer;
}

CheckpointWriter CheckpointWriter::resume(const Communicator& comm, const std::string& path,
                                          const CheckpointContents& contents, const CheckpointOptions& options,
                                          const Atoms& atoms, const Box& box)
{
    CheckpointDirectory directory{};
    std::array<int, 2> next{};
    std::int64_t sequence = 0;
    bool fits = false;
    const auto kept = comm.sum(static_cast<std::int64_t>(atoms.kept.size()));
    on_root(comm, [&] {
        const RawFile file(path, RawFile::Mode::read);
        directory = read_directory(file);
        const int ring = static_cast<int>(directory.ring);
        fits = comm.size() <= directory.rank_capacity && directory.kept == kept &&
               directory.more == values_beyond_record(CheckpointNumbers{kept, count_values(contents.state)}) &&
               ring == options.slots && read_input(file, directory) == contents.input;
        std::vector<std::int64_t> ages;
        for (int k = 0; k < directory.slot_count(); ++k) {
            const auto record = read_records(file, directory, k).records.front();
            ages.push_back(is_sealed(record) ? record.sequence : 0);
        }
        sequence = std::ranges::max(ages);
        // The slot that is restarted from, and those that came before it, are the last to be written again.
        const auto youngest = [&](int begin, int count) {
            const auto from = ages.begin() + begin;
            const auto age = [&](std::int64_t a) { return a <= ages[index(contents.slot)] ? a : -1; };
            return static_cast<int>(std::ranges::max_element(from, from + count, {}, age) - from);
        };
        next = {(youngest(0, ring) + 1) % ring, (youngest(ring, synced_slots) + 1) % synced_slots};
    });
    fits = comm.any(fits);
    if (!fits) return create(comm, path, {contents.input, options}, contents.state, atoms, box);

    comm.broadcast(std::as_writable_bytes(std::span(&directory, 1)));
    comm.broadcast(std::as_writable_bytes(std::span(next)));
    comm.broadcast(std::as_writable_bytes(std::span(&sequence, 1)));
    RawFile file;
    on_all(comm, [&] {
        file = RawFile(path, RawFile::Mode::write);
        if (comm.root()) file.sync(); // a run that was killed may not have come to it
    });
    const auto way = CheckpointWay::choose(comm, path, options.mapping);
    CheckpointWriter writer(Impl::make(comm, options, way, std::move(file), directory));
    writer.impl_->sequence = sequence;
    writer.impl_->next_ring = next[0];
    writer.impl_->next_synced = next[1];
    writer.repartition(atoms);
    return writer;
}

void CheckpointWriter::repartition(const Atoms& atoms)
{
    impl_->n_owned = index(atoms.n_owned);
    impl_->n_kept = atoms.kept.size();
    const auto place = [this](std::size_t n, std::int64_t unit, std::int64_t capacity) {
        const auto rows = (static_cast<std::int64_t>(n) + unit - 1) / unit * unit;
        const auto first = impl_->comm.exclusive_sum(rows);
        HOLON_ASSERT(first + rows <= capacity, fmt::format("{} + {}", first, rows));
        return first;
    };
    const auto& directory = impl_->directory;
    impl_->wait_for_helper();
    const auto first_row = place(impl_->n_owned, atoms_of_whole_pages, directory.rows);
    if (directory.kept > 0)
        impl_->first_kept = place(impl_->n_kept, rows_of_whole_pages<KeptNumber>, directory.kept_rows);

    const double begin = thread_cpu_seconds();
    impl_->slots.set_identities(atoms, first_row);
    impl_->stats.pack_s += thread_cpu_seconds() - begin;
}

std::uint64_t CheckpointWriter::votes() const
{
    const bool due = impl_->comm.root() && impl_->options.sync_seconds > 0.0 &&
                     seconds_since(impl_->last_sync) >= impl_->options.sync_seconds;
    std::uint64_t votes = 0;
    if (!error().empty()) votes |= checkpoint_failed;
    if (due) votes |= checkpoint_sync_due;
    const bool writing =
        impl_->sync_phase == Impl::Sync::writing && impl_->sync_sequence == impl_->sequence && impl_->helper.busy();
    if (writing || impl_->syncer.busy()) votes |= checkpoint_sync_busy;
    return votes;
}

void CheckpointWriter::agree(std::uint64_t agreed)
{
    using enum Impl::Sync;
    auto& phase = impl_->sync_phase;
    if (phase == due) phase = none; // no state was submitted
    if ((agreed & (checkpoint_failed | checkpoint_sync_busy)) != 0) return;
    if (phase == writing) {
        phase = syncing;
        if (impl_->slots.first_of_node()) impl_->syncer.start([impl = impl_.get()] { impl->sync(impl->sync_slot); });
    } else if (phase == syncing) {
        phase = confirming;
        if (impl_->comm.root()) impl_->syncer.start([impl = impl_.get()] { impl->confirm(); });
    } else {
        phase = (agreed & checkpoint_sync_due) != 0 ? due : none;
    }
}

void CheckpointWriter::submit(const RunState& state, const Atoms& atoms, const Box& box, bool lent)
{
    if (!error().empty()) return;
    const bool synced = impl_->sync_phase == Impl::Sync::due;
    auto& buffer = impl_->buffers[impl_->current];
    impl_->current = 1 - impl_->current;
    double begin_cpu = thread_cpu_seconds();
    auto rows = impl_->pack(atoms, lent, buffer);
    if (impl_->directory.more > 0 && impl_->comm.root()) {
        buffer.more = values_beyond_record(state);
        rows.more = buffer.more;
    }
    impl_->lent = lent;

    impl_->stats.pack_s += thread_cpu_seconds() - begin_cpu;

    impl_->wait_for_helper();

    begin_cpu = thread_cpu_seconds();
    auto& record = impl_->record;
    record = make_record(state, box);
    HOLON_ASSERT(values_beyond_record(CheckpointNumbers{0, record.value_count}) == impl_->directory.more,
                 fmt::format("{} values", record.value_count));
    record.writer = impl_->writer_id;
    record.boot = impl_->boot;
    impl_->all_on_disk = false;
    record.sequence = ++impl_->sequence;
    record.first_kept = impl_->first_kept;
    record.kept = std::ssize(rows.kept);
    record.rank = impl_->comm.rank();
    record.ranks = impl_->comm.size();
    const int ring = static_cast<int>(impl_->directory.ring);
    const int slot =
        synced ? ring + impl_->take(impl_->next_synced, synced_slots) : impl_->take(impl_->next_ring, ring);
    if (synced) {
        impl_->last_sync = Clock::now();
        impl_->sync_phase = Impl::Sync::writing;
        impl_->sync_sequence = impl_->sequence;
        impl_->sync_slot = slot;
    }
    impl_->last_slot = slot;
    impl_->helper.start([impl = impl_.get(), slot, rows, synced] {
        impl->check_in_place();
        impl->slots.write(slot, rows, impl->record);
        if (synced) impl->sync_record = impl->record;
    });
    impl_->stats.pack_s += thread_cpu_seconds() - begin_cpu;
    impl_->stats.written += 1;
    impl_->stats.bytes_per_step = static_cast<std::int64_t>(rows.positions.size_bytes() + rows.velocities.size_bytes() +
                                                            rows.kept.size_bytes() + sizeof(CommitRecord));
}

void CheckpointWriter::release()
{
    if (!std::exchange(impl_->lent, false)) return;
    impl_->wait_for_helper();
}

void CheckpointWriter::finish()
{
    impl_->wait_for_helper();
    impl_->sync_phase = Impl::Sync::none;
    impl_->syncer.start([impl = impl_.get()] { impl->sync(std::nullopt); });
    impl_->syncer.wait();
    impl_->all_on_disk = error().empty();
}

void CheckpointWriter::mark_outputs(const OutputMarks& marks)
{
    if (!error().empty() || impl_->last_slot < 0) return;
    impl_->helper.start([impl = impl_.get(), marks] {
        impl->record.outputs = marks;
        if (impl->all_on_disk) impl->record.boot = 0;
        impl->slots.write_record(impl->last_slot, impl->record);
    });
    impl_->helper.wait();
}

std::string CheckpointWriter::error() const
{
    const auto error = impl_->helper.error();
    return error.empty() ? impl_->syncer.error() : error;
}

CheckpointStats CheckpointWriter::stats()
{
    impl_->helper.wait();
    impl_->syncer.wait();
    auto stats = impl_->stats;
    stats.helper_cpu_s = impl_->cpu_of_threads() - impl_->helper_cpu_before;
    return stats;
}

void CheckpointWriter::restart_stats()
{
    impl_->wait_for_helper();
    impl_->stats = {};
    impl_->helper_cpu_before = impl_->cpu_of_threads();
}

} // namespace holon
