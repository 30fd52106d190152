#include "slot_writer.hpp"

#include <holon/core/index.hpp>
#include <holon/core/parallel.hpp>

#include <algorithm>
#include <utility>

namespace holon {

namespace {

constexpr std::size_t piece_bytes = 256 << 10; // of a write

/// Of a node. The kernel lets one process at a time write to a file, and others spin: the helpers take turns. Where the
/// parts of a state are small, two do at once: to spin is shorter than any sleep then, and ranks that are held up at
/// the same time do not wait for each other, too.
int writers_at_once(std::int64_t atoms, int ranks)
{
    const auto bytes_of_rank = atoms / ranks * static_cast<std::int64_t>(2 * sizeof(IVec3));
    return bytes_of_rank <= static_cast<std::int64_t>(piece_bytes) ? 2 : 1;
}

/// Adds bytes to a checksum and passes them to write(part, offset), in pieces that stay in the cache from the one to
/// the other. Pieces end at multiples of their size in the file, as the kernel's large pages do.
template <class Write>
void write_pieces(std::span<const std::byte> bytes, std::int64_t offset, std::size_t size, Checksum& sum, Write write)
{
    while (!bytes.empty()) {
        const auto part = bytes.first(std::min(size - index(offset) % size, bytes.size()));
        sum.add(part);
        write(part, offset);
        bytes = bytes.subspan(part.size());
        offset += static_cast<std::int64_t>(part.size());
    }
}

std::int64_t whole_pages(std::int64_t end)
{
    return (end + page_bytes - 1) / page_bytes * page_bytes;
}

} // namespace

CheckpointWay CheckpointWay::choose(const Communicator& comm, const std::string& path, CheckpointMapping mapping)
{
    const bool wanted =
        mapping == CheckpointMapping::yes || (mapping == CheckpointMapping::automatic && is_local(folder_of(path)));
    const bool all = !comm.any(!wanted);
    const bool teams = comm.any(thread_count() > 1);
    return {all, all && !teams};
}

SlotWriter::SlotWriter(const Communicator& comm, RawFile file, const CheckpointDirectory& directory, CheckpointWay way)
    : file_(std::move(file)), directory_(directory), way_(way),
      turns_(comm, writers_at_once(directory.atoms, comm.size())),
      mapped_(way.mapped ? MappedFile(file_) : MappedFile())
{
}

/// Whoever would wait for another at once had better spin in the kernel: it is shorter than any sleep.
std::unique_lock<NodeMutex> SlotWriter::turn()
{
    return way_.at_once ? std::unique_lock<NodeMutex>() : std::unique_lock(turns_);
}

void SlotWriter::set_identities(const Atoms& atoms, std::int64_t first_row)
{
    const auto n = index(atoms.n_owned);
    forget_others(first_row, n);
    first_row_ = first_row;
    identities_.resize(n);
    for (std::size_t i = 0; i < n; ++i) identities_[i] = {atoms.image[i], atoms.id[i]};
    identity_checksum_ = checksum(std::as_bytes(std::span(identities_)));
    ++version_;
}

/// Gives back what is mapped of rows that this rank no longer writes.
void SlotWriter::forget_others(std::int64_t first_row, std::size_t n_rows)
{
    const auto end_of = [](std::int64_t block, std::int64_t first, std::size_t n) {
        return whole_pages(row_offset<IVec3>(block, first + static_cast<std::int64_t>(n)));
    };
    const auto forget = [&](std::int64_t block) {
        const auto old_begin = row_offset<IVec3>(block, first_row_), begin = row_offset<IVec3>(block, first_row);
        const auto old_end = end_of(block, first_row_, identities_.size()), end = end_of(block, first_row, n_rows);
        mapped_.forget(old_begin, std::min(old_end, begin));
        mapped_.forget(std::max(old_begin, end), old_end);
    };
    if (!mapped_) return;
    for (std::size_t slot = 0; slot < directory_.ring; ++slot) {
        forget(directory_.slots[slot].positions);
        forget(directory_.slots[slot].velocities);
    }
}

/// If the slot has not got them yet.
void SlotWriter::write_identities(int slot)
{
    auto& there = version_in_[index(slot)];
    if (there == version_) return;
    const auto block = directory_.slots[index(slot)].identities;
    const auto lock = turn();
    file_.write(std::as_bytes(std::span(identities_)), row_offset<AtomIdentity>(block, first_row_));
    there = version_;
}

void SlotWriter::fill(std::span<const IVec3> rows)
{
    for (int slot = 0; slot < directory_.slot_count(); ++slot) {
        write_identities(slot);
        const auto lock = turn();
        const auto& place = directory_.slots[index(slot)];
        for (const auto block : {place.positions, place.velocities})
            file_.write(std::as_bytes(rows), row_offset<IVec3>(block, first_row_));
    }
}

template <class Row>
void SlotWriter::write_rows(int slot, std::span<const Row> rows, std::int64_t offset, Checksum& sum)
{
    constexpr std::size_t in_first_cache = page_bytes;
    if (through_memory(slot))
        write_pieces(std::as_bytes(rows), offset, in_first_cache, sum,
                     [this](auto part, std::int64_t at) { mapped_.write(part, at); });
    else
        write_pieces(std::as_bytes(rows), offset, piece_bytes, sum,
                     [this](auto part, std::int64_t at) { file_.write(part, at); });
}

void SlotWriter::write(int slot, const CheckpointRows& rows, CommitRecord& record)
{
    write_identities(slot);
    const auto& place = directory_.slots[index(slot)];
    Checksum moving, kept, more;
    {
        const auto lock = through_memory(slot) ? std::unique_lock<NodeMutex>() : turn();
        write_rows(slot, rows.positions, row_offset<IVec3>(place.positions, first_row_), moving);
        write_rows(slot, rows.velocities, row_offset<IVec3>(place.velocities, first_row_), moving);
        write_rows(slot, rows.kept, row_offset<KeptNumber>(place.kept, record.first_kept), kept);
        write_rows(slot, rows.more, directory_.more_places[index(slot)], more);
    }
    mapped_.complete(file_.path());
    record.first_row = first_row_;
    record.atoms = static_cast<std::int64_t>(identities_.size());
    record.identity_checksum = identity_checksum_;
    record.data_checksum = moving.value();
    if (record.kept > 0) record.kept_checksum = kept.value();
    if (!rows.more.empty()) record.more_checksum = more.value();
    write_record(slot, record);
}

/// A page, which a kill cannot leave half written.
void SlotWriter::write_record(int slot, CommitRecord& record)
{
    seal(record);
    file_.write(std::as_bytes(std::span(&record, 1)), directory_.slots[index(slot)].records + record.rank * page_bytes);
}

} // namespace holon
