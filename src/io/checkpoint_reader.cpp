#include "checkpoint_layout.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace holon {

namespace {

/// One rank's block of rows.
struct Block {
    std::int64_t first = 0, count = 0;
};

/// Reads rows [begin, end) from `offset` on, counting those of the first block first, then the second's and so on.
template <class Row>
std::vector<Row> read_rows(const RawFile& file, std::int64_t offset, std::span<const Block> blocks, std::int64_t begin,
                           std::int64_t end)
{
    std::vector<Row> rows(static_cast<std::size_t>(end - begin));
    std::int64_t before = 0; // rows in the blocks before
    for (const auto& block : blocks) {
        const auto from = std::max(begin, before), to = std::min(end, before + block.count);
        if (from < to)
            file.read(std::as_writable_bytes(std::span(rows).subspan(static_cast<std::size_t>(from - begin),
                                                                     static_cast<std::size_t>(to - from))),
                      row_offset<Row>(offset, block.first + from - before));
        before += block.count;
    }
    return rows;
}

/// The share of `part` out of `parts` of the atoms of a slot, wrapped into the box.
std::vector<AtomRecord> read_atoms(const RawFile& file, const CheckpointDirectory& directory, int slot,
                                   std::span<const CommitRecord> records, std::int64_t part, std::int64_t parts)
{
    std::vector<Block> blocks;
    for (const auto& record : records) blocks.push_back({record.first_row, record.atoms});
    const auto& place = directory.slots[static_cast<std::size_t>(slot)];
    const auto begin = directory.atoms * part / parts, end = directory.atoms * (part + 1) / parts;
    const auto x = read_rows<IVec3>(file, place.positions, blocks, begin, end);
    const auto v = read_rows<IVec3>(file, place.velocities, blocks, begin, end);
    const auto identities = read_rows<AtomIdentity>(file, place.identities, blocks, begin, end);

    const auto box = box_in_force(records.front());
    std::vector<AtomRecord> atoms;
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto& atom = atoms.emplace_back(AtomRecord{x[i], v[i], identities[i].image, identities[i].id});
        atom.image += box.wrap(atom.x);
    }
    return atoms;
}

/// Likewise of the kept numbers.
std::vector<KeptNumber> read_kept(const RawFile& file, const CheckpointDirectory& directory, int slot,
                                  std::span<const CommitRecord> records, std::int64_t part, std::int64_t parts)
{
    std::vector<Block> blocks;
    for (const auto& record : records) blocks.push_back({record.first_kept, record.kept});
    return read_rows<KeptNumber>(file, directory.slots[static_cast<std::size_t>(slot)].kept, blocks,
                                 directory.kept * part / parts, directory.kept * (part + 1) / parts);
}

/// A slot that holds a whole state.
struct Found {
    int slot = -1;
    std::vector<CommitRecord> records;
    std::vector<std::string> notes;
};

/// The newest state that is valid and passes the check, or none (slot -1); `unfit` is what the check says of the newest
/// valid one.
Found look_for_newest(const RawFile& file, const CheckpointDirectory& directory, const StateCheck& check,
                      std::string& unfit)
{
    std::vector<SlotRecords> slots;
    for (int k = 0; k < directory.slot_count(); ++k) slots.push_back(read_records(file, directory, k));
    Found found;
    for (std::size_t k = 0; k < slots.size(); ++k)
        if (!slots[k].problem.empty() && !slots[k].empty)
            found.notes.push_back(fmt::format("{}: slot {} is skipped: {}.", file.path(), k, slots[k].problem));
    for (const int k : slots_by_age(slots)) {
        auto& records = slots[static_cast<std::size_t>(k)].records;
        auto problem = verify_rows(file, directory, k, records);
        if (problem.empty() && check) {
            problem = check(directory.run_id, state_of(records.front()));
            if (unfit.empty()) unfit = problem;
        }
        if (problem.empty()) {
            found.slot = k;
            found.records = std::move(records);
            return found;
        }
        found.notes.push_back(
            fmt::format("{}: slot {}, step {}, is skipped: {}.", file.path(), k, records.front().step, problem));
    }
    return found;
}

Found find_newest(const RawFile& file, const CheckpointDirectory& directory, const StateCheck& check)
{
    std::string unfit;
    auto found = look_for_newest(file, directory, check, unfit);
    if (found.slot >= 0) return found;
    if (!unfit.empty())
        throw InputError(
            fmt::format("The files beside {} do not belong to its states: {}. Nothing has been changed. Put "
                        "the right file back, move it away (a new one is begun), or go on in another "
                        "folder with -o.",
                        file.path(), unfit));
    std::string reasons;
    for (const auto& note : found.notes) reasons += "\n  " + note;
    throw InputError(fmt::format("{} holds no valid state. Start the run again, or use a copy of the file.{}",
                                 file.path(), reasons));
}

/// What rank 0 found out, for the other ranks: texts one after the other, each after its name.
void broadcast_texts(const Communicator& comm, std::map<std::string, std::string>& texts)
{
    auto count = static_cast<std::uint64_t>(texts.size());
    comm.broadcast(std::as_writable_bytes(std::span(&count, 1)));
    auto next = texts.begin();
    for (std::uint64_t k = 0; k < count; ++k) {
        std::string name, text;
        if (comm.root()) std::tie(name, text) = *next++;
        comm.broadcast(name);
        comm.broadcast(text);
        if (!comm.root()) texts[name] = text;
    }
}

template <class T>
void broadcast_vector(const Communicator& comm, std::vector<T>& values)
{
    auto size = static_cast<std::uint64_t>(values.size());
    comm.broadcast(std::as_writable_bytes(std::span(&size, 1)));
    values.resize(size);
    comm.broadcast(std::as_writable_bytes(std::span(values)));
}

} // namespace

CheckpointContents read_checkpoint(const Communicator& comm, const std::string& path, const StateCheck& check)
{
    CheckpointContents contents;
    CheckpointDirectory directory{};
    Found found;
    on_root(comm, [&] {
        const auto file = open_input(path);
        directory = read_directory(file);
        found = find_newest(file, directory, check);
        contents.input = read_input(file, directory);
    });
    comm.broadcast(std::as_writable_bytes(std::span(&directory, 1)));
    comm.broadcast(std::as_writable_bytes(std::span(&found.slot, 1)));
    broadcast_vector(comm, found.records);
    broadcast_texts(comm, contents.input.texts);
    contents.input.atoms = directory.atoms;
    contents.input.run_id = directory.run_id;
    contents.slot = found.slot;
    contents.notes = found.notes;
    contents.state = state_of(found.records.front());
    on_all(comm, [&] {
        const auto file = open_input(path);
        contents.atoms = read_atoms(file, directory, found.slot, found.records, comm.rank(), comm.size());
        contents.kept = read_kept(file, directory, found.slot, found.records, comm.rank(), comm.size());
    });
    return contents;
}

struct CheckpointFile::Impl {
    explicit Impl(const std::string& path) : file(open_input(path)), directory(read_directory(file)) {}
    SlotRecords records(int slot) const { return read_records(file, directory, slot); }
    SlotRecords valid_records(int slot) const;

    RawFile file;
    CheckpointDirectory directory;
};

CheckpointFile::CheckpointFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
CheckpointFile::~CheckpointFile() = default;

CheckpointInput CheckpointFile::input() const
{
    return read_input(impl_->file, impl_->directory);
}

std::vector<CheckpointSlot> CheckpointFile::slots() const
{
    std::vector<CheckpointSlot> slots;
    for (int k = 0; k < impl_->directory.slot_count(); ++k) {
        const auto found = impl_->records(k);
        CheckpointSlot slot;
        slot.index = k;
        slot.synced = k >= static_cast<int>(impl_->directory.ring);
        slot.empty = found.empty;
        slot.problem = found.problem;
        if (is_sealed(found.records.front())) {
            slot.state = state_of(found.records.front());
            slot.ranks = found.records.front().ranks;
        }
        slots.push_back(slot);
    }
    return slots;
}

std::string CheckpointFile::verify(int slot) const
{
    const auto found = impl_->records(slot);
    return found.problem.empty() ? verify_rows(impl_->file, impl_->directory, slot, found.records) : found.problem;
}

/// InputError, if the slot is not valid.
SlotRecords CheckpointFile::Impl::valid_records(int slot) const
{
    auto found = records(slot);
    if (found.problem.empty()) found.problem = verify_rows(file, directory, slot, found.records);
    if (!found.problem.empty())
        throw InputError(fmt::format("{}: slot {} is not valid: {}.", file.path(), slot, found.problem));
    return found;
}

std::vector<AtomRecord> CheckpointFile::atoms(int slot) const
{
    const auto found = impl_->valid_records(slot);
    auto atoms = read_atoms(impl_->file, impl_->directory, slot, found.records, 0, 1);
    std::ranges::sort(atoms, {}, &AtomRecord::id);
    return atoms;
}

std::vector<KeptNumber> CheckpointFile::kept(int slot) const
{
    const auto found = impl_->valid_records(slot);
    auto kept = read_kept(impl_->file, impl_->directory, slot, found.records, 0, 1);
    std::ranges::sort(kept, {}, [](const KeptNumber& n) { return std::pair(n.id, n.index); });
    return kept;
}

int CheckpointFile::newest_valid() const
{
    std::string unused;
    return look_for_newest(impl_->file, impl_->directory, {}, unused).slot;
}

} // namespace holon
